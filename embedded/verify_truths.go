package embedded

import (
	"context"
	"errors"
	"fmt"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// row reads a row of a table of truths, whole: with the content of a post. One of claims has none to read.
func (read truths) row(ctx context.Context, name blog.Table, key []any, value string, whole bool, r *audit.TruthRow) (err error) {
	switch name.Declaration().About {
	case blog.AboutUser:
		r.User, err = decodeUser(blog.User{ID: key[0].(blog.UserID)}, value)
	case blog.AboutPost:
		post, content := key[0].(blog.PostID), ""
		if whole {
			content, err = read.get(ctx, postsByID, contentCell, post)
		}
		if err == nil {
			r.Post, err = decodePost(post, value, content)
		}
	case blog.AboutComment:
		r.Comment, err = decodeComment(blog.CommentKey{Post: key[0].(blog.PostID), Comment: key[1].(blog.CommentID)}, value)
	case blog.AboutReaction:
		var c claim
		c, err = decodeClaim(value)
		r.Reacts, r.Reaction = c.stands, c.reaction(blog.ReactionKey{Post: key[0].(blog.PostID), User: key[1].(blog.UserID)})
	case blog.AboutClaim:
	}
	return err
}

// EachTruth is a method of [audit.Reader]. A row of which its first cell lacks is visited too, as
// one that does not stand.
func (a *auditReader) EachTruth(ctx context.Context, name blog.Table, _ int, whole bool, visit func(audit.TruthRow) error) error {
	var above blog.Count // of the partition
	var last []any       // the row before
	return a.eachIn(ctx, tables[name], func(k parsedKey, value string) (err error) {
		if last == nil || last[0] != k.values[0] {
			above = blog.Count{}
		} else if audit.SameValues(last, k.values) {
			return nil
		}
		last = k.values
		r := audit.TruthRow{Key: k.values, Head: above}
		switch {
		case k.static && k.cell == countCell:
			above, err = sole[blog.Count](value)
			r.Head = above
		case k.static:
			return nil
		case k.cell == truthCell:
			err = a.row(ctx, name, k.values, value, whole, &r)
		}
		if errors.Is(err, errValue) {
			r.Damaged, err = "it can't be read", nil
		}
		if err != nil {
			return err
		}
		return visit(r)
	})
}

// EachClaim is a method of [audit.Reader].
func (a *auditReader) EachClaim(ctx context.Context, name blog.Table, _ int, visit func(string, blog.UserID) error) error {
	return a.eachTruth(ctx, tables[name], func(key []any, value string) error {
		owner, err := sole[blog.UserID](value)
		if err != nil {
			return fmt.Errorf("%s: the claim on %q: %w", name, key[0], err)
		}
		return visit(key[0].(string), owner)
	})
}

// Claimed is a method of [audit.Reader].
func (a *auditReader) Claimed(ctx context.Context, name blog.Table, key string) (blog.UserID, error) {
	return a.owner(ctx, tables[name], key)
}

// Listed is a method of [audit.Reader].
func (a *auditReader) Listed(ctx context.Context, k *blog.UniqueKey, key string) (users []blog.UserID, err error) {
	t := tables[k.Card.Table]
	partition := t.partitionKey(key)
	err = a.each(ctx, partition, with(partition, endMark), func(k, _ []byte) error {
		parsed, err := a.parse(t, k)
		if err != nil {
			return err
		}
		users = append(users, parsed.values[1].(blog.UserID))
		return nil
	})
	return users, err
}

// True is a method of [audit.Truths]. This store keeps nothing of users and posts that have ended, and no copies of
// them.
func (read truths) True(ctx context.Context, name blog.Table, key ...any) (r audit.TruthRow, err error) {
	value, err := read.get(ctx, tables[name], truthCell, key...)
	if err != nil || value == "" {
		return r, err
	}
	r.Key, r.Head.Stamp = key, decode(value).stamp
	err = read.row(ctx, name, key, value, false, &r)
	if err == nil && name.Reaction() != nil {
		r.Head, err = read.count(ctx, tables[name], key[0].(blog.PostID))
	}
	if errors.Is(err, errValue) {
		r.Damaged, err = "it can't be read", nil
	}
	return r, err
}
