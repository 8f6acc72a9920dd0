package embedded

import (
	"context"
	"errors"
	"fmt"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// truthTables holds, for each table of truths but those of reactions, how its rows are read as they stand. What
// can't be read is told, and doesn't end the reading.
var truthTables = map[blog.Table]truthTable{
	blog.UsersByID: {usersByID, func(_ context.Context, _ truths, key []any, value string, r *audit.TruthRow) (err error) {
		r.User, err = decodeUser(blog.User{ID: key[0].(blog.UserID)}, value)
		return err
	}},
	blog.PostsByID: {postsByID, func(ctx context.Context, read truths, key []any, value string, r *audit.TruthRow) error {
		id := key[0].(blog.PostID)
		content, err := read(ctx, postsByID.cellKey(contentCell, id))
		if err != nil {
			return err
		}
		r.Post, err = decodePost(id, value, content)
		return err
	}},
	blog.CommentsByPost: {commentsByPost, func(_ context.Context, _ truths, key []any, value string, r *audit.TruthRow) (err error) {
		r.Comment, err = decodeComment(blog.CommentKey{Post: key[0].(blog.PostID), Comment: key[1].(blog.CommentID)}, value)
		return err
	}},
}

// truthTable is a table of truths, with what reads a row of it.
type truthTable struct {
	table *table
	read  func(ctx context.Context, read truths, key []any, value string, r *audit.TruthRow) error
}

func truthTableOf(name blog.Table) truthTable {
	if name.Reaction() != nil {
		return truthTable{tables[name], readReaction}
	}
	return truthTables[name]
}

func readReaction(_ context.Context, _ truths, key []any, value string, r *audit.TruthRow) error {
	c, err := decodeClaim(value)
	r.Reaction = blog.Reaction{Post: key[0].(blog.PostID), User: blog.Author{ID: key[1].(blog.UserID)}, At: c.at}
	r.Reacts = c.stands
	return err
}

// EachTruth is a method of [audit.Reader]. A row of which its first cell lacks is visited too, as
// one that does not stand.
func (a *auditReader) EachTruth(ctx context.Context, name blog.Table, _ int, visit func(audit.TruthRow) error) error {
	truth := truthTableOf(name)
	var above blog.Count // of the partition
	var last []any       // the row before
	return a.eachCell(ctx, truth.table, func(k parsedKey, value string) (err error) {
		if last == nil || last[0] != k.values[0] {
			above = blog.Count{}
		} else if audit.SameValues(last, k.values) {
			return nil
		}
		last = k.values
		r := audit.TruthRow{Key: k.values, Head: above}
		switch {
		case k.static && k.cell == countCell:
			above, err = decodeCount(value)
			r.Head = above
		case k.static:
			return nil
		case k.cell == truthCell:
			err = truth.read(ctx, a.truths, k.values, value, &r)
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
		owner, err := decodeOwner(value)
		if err != nil {
			return fmt.Errorf("%s: the claim on %q: %w", name, key[0], err)
		}
		return visit(key[0].(string), owner)
	})
}

// Claimed is a method of [audit.Reader].
func (a *auditReader) Claimed(ctx context.Context, name blog.Table, key string) (blog.UserID, error) {
	value, err := a.get(ctx, tables[name].cellKey(truthCell, key))
	if err != nil {
		return blog.UserID{}, err
	}
	return decodeOwner(value)
}

// Listed is a method of [audit.Reader].
func (a *auditReader) Listed(ctx context.Context, name blog.Table, key string) (users []blog.UserID, err error) {
	t := newRowReader(name).table
	partition := t.partitionKey(key)
	err = a.each(ctx, partition, with(partition, endMark), func(k []byte, _ string) error {
		parsed, err := a.parse(t, k)
		if err != nil {
			return err
		}
		users = append(users, parsed.values[1].(blog.UserID))
		return nil
	})
	return users, err
}

// True is a method of [audit.Truths]. This store keeps nothing of users and posts that have ended, nor does it leave
// copies of them anywhere.
func (read truths) True(ctx context.Context, name blog.Table, key ...any) (r audit.TruthRow, err error) {
	truth := truthTableOf(name)
	value, err := read(ctx, truth.table.cellKey(truthCell, key...))
	if err != nil || value == "" {
		return r, err
	}
	r.Key, r.Head.Stamp = key, decode(value).stamp
	err = truth.read(ctx, read, key, value, &r)
	if err == nil && name.Reaction() != nil {
		r.Head, err = read.count(ctx, truth.table, key[0].(blog.PostID))
	}
	if errors.Is(err, errValue) {
		r.Damaged, err = "it can't be read", nil
	}
	return r, err
}
