package embedded

import (
	"context"
	"errors"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

const unreadable = "it can't be read"

// truthRow reads a row of a table of truths, a post without its content where that is empty.
func truthRow(name blog.Table, key []any, value, content string) (r audit.TruthRow) {
	var err error
	switch about := name.Declaration().About; about {
	case blog.AboutUser:
		r.User, err = decodeUser(key[0].(blog.UserID), value)
	case blog.AboutPost:
		r.Post, err = decodePost(key[0].(blog.PostID), value, content)
	case blog.AboutComment:
		r.Comment, err = decodeComment(blog.CommentKey{Post: key[0].(blog.PostID), Comment: key[1].(blog.CommentID)}, value)
	case blog.AboutGroup:
		r.Group, err = decodeGroup(key[0].(blog.GroupID), value)
		r.Ended = err == nil && r.Group.Version == 0
	case blog.AboutClaim:
		r.Owner, err = sole[blog.UserID](value)
	default:
		r.Reaction, err = decodeReaction(blog.ReactionKey{Of: about.Reaction, To: parentOf(key), User: key[1].(blog.UserID)}, value)
	}
	if r.Key = key; err != nil {
		r.Damaged = unreadable
	}
	return r
}

// parentOf returns the id that the key of a counted partition, or of one of its rows, begins with.
func parentOf(key []any) blog.UUID {
	id, _ := blog.IDOf(key[0])
	return id
}

// EachTruth is a method of [audit.Reader]. A row of which its first cell lacks is visited too, as
// one that does not stand.
func (a *auditReader) EachTruth(ctx context.Context, name blog.Table, _ int, whole bool, visit func(audit.TruthRow) error) error {
	var above audit.TruthRow // the rows of the partition
	t := tables[name]
	return a.eachRow(ctx, t, []byte{t.prefix}, []byte{t.prefix + 1}, func(c cells) (err error) {
		if above.Key == nil || above.Key[0] != c.key[0] {
			above = audit.TruthRow{Key: c.key[:1]}
		}
		value, stands := c.values[truthCell]
		count, counted := c.values[countCell]
		r := audit.TruthRow{Key: c.key}
		switch {
		case c.static && !counted:
			return nil
		case c.static:
			if above.Head, err = sole[blog.Count](count); err != nil {
				r.Damaged = unreadable
			}
		case stands && whole:
			r = truthRow(name, c.key, value, c.values[contentCell])
		case stands:
			r = truthRow(name, c.key, value, "")
		}
		r.Head = above.Head
		return visit(r)
	})
}

func (a *auditReader) Listed(ctx context.Context, k *blog.UniqueKey, key string) (users []blog.UserID, err error) {
	t := tables[k.Card.Table]
	partition := t.partitionKey(key)
	err = a.eachRow(ctx, t, partition, with(partition, endMark), func(c cells) error {
		users = append(users, c.key[1].(blog.UserID))
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
	r = truthRow(name, key, value, "")
	r.Head.Stamp = decode(value).stamp
	if name.Reaction() != nil {
		r.Head, err = read.count(ctx, tables[name], parentOf(key))
	}
	if errors.Is(err, errValue) {
		r.Damaged, err = unreadable, nil
	}
	return r, err
}
