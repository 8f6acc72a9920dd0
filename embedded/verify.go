package embedded

import (
	"context"
	"fmt"

	"broadsheet/blog"
)

// EachUser is a method of [blog.Auditor].
func (s *Store) EachUser(ctx context.Context, visit func(blog.User) error) error {
	return s.eachTruth(ctx, usersByID, func(key []any, value []byte) error {
		u, err := decodeUser(key[0].(blog.UserID), value)
		if err != nil {
			return err
		}
		return visit(u)
	})
}

// EachPost is a method of [blog.Auditor].
func (s *Store) EachPost(ctx context.Context, visit func(blog.Post) error) error {
	return s.eachTruth(ctx, postsByID, func(key []any, value []byte) error {
		p, err := decodePost(key[0].(blog.PostID), value, nil)
		if err != nil {
			return err
		}
		return visit(p)
	})
}

// EachComment is a method of [blog.Auditor].
func (s *Store) EachComment(ctx context.Context, visit func(blog.Comment) error) error {
	return s.eachTruth(ctx, commentsByPost, func(key []any, value []byte) error {
		c, err := decodeComment(blog.CommentKey{Post: key[0].(blog.PostID), Comment: key[1].(blog.CommentID)}, value)
		if err != nil {
			return err
		}
		return visit(c)
	})
}

// EachLike is a method of [blog.Auditor].
func (s *Store) EachLike(ctx context.Context, visit func(blog.Like) error) error {
	return s.eachTruth(ctx, likeClaims, func(key []any, value []byte) error {
		claim, err := decodeLikeClaim(value)
		if err != nil || !claim.stands {
			return err
		}
		return visit(blog.Like{Post: key[0].(blog.PostID), User: blog.Author{ID: key[1].(blog.UserID)}, LikedAt: claim.likedAt})
	})
}

// EachCount is a method of [blog.Auditor].
func (s *Store) EachCount(ctx context.Context, visit func(post blog.PostID, comments, likes blog.Count) error) error {
	comments, err := s.counts(ctx, commentsByPost)
	if err != nil {
		return err
	}
	likes, err := s.counts(ctx, likeClaims)
	if err != nil {
		return err
	}
	return blog.VisitCounts(comments, likes, visit)
}

// counts reads the counts that stand above a table's partitions.
func (s *Store) counts(ctx context.Context, t *table) (map[blog.PostID]blog.Count, error) {
	counts := map[blog.PostID]blog.Count{}
	err := s.eachCell(ctx, t, func(k parsedKey, value []byte) error {
		if !k.static {
			return nil
		}
		count, err := decodeCount(value)
		counts[k.values[0].(blog.PostID)] = count
		return err
	})
	return counts, err
}

// EachCopy is a method of [blog.Auditor]. A copy that can't be read is visited with
// a value that no truth has.
func (s *Store) EachCopy(ctx context.Context, name blog.Table, visit func(blog.Copy) error) error {
	t, groups := copiesOf(name)
	if t == nil {
		return nil
	}
	return s.eachCell(ctx, t, func(k parsedKey, value []byte) error {
		g := groups[groupKey{k.cell, k.static}]
		if g == nil {
			return nil
		}
		values, stamp, err := decodeAll(value, len(g.Columns))
		if err != nil {
			values = []any{err.Error()}
		}
		return visit(blog.Copy{Group: g, Key: k.values, Values: values, Stamp: stamp})
	})
}

type groupKey struct {
	cell   byte
	static bool
}

// copiesOf returns the groups that stand in a table; none where it has no copies.
func copiesOf(name blog.Table) (*table, map[groupKey]*blog.Group) {
	var t *table
	groups := map[groupKey]*blog.Group{}
	for g, p := range places {
		if g.Table == name {
			t = p.table
			groups[groupKey{p.cell, static(g)}] = g
		}
	}
	return t, groups
}

func decodeAll(value []byte, n int) ([]any, int64, error) {
	f := decode(value)
	values := make([]any, n)
	for i := range values {
		values[i] = f.next()
	}
	return values, f.stamp, f.err
}

// eachTruth visits the first cell of every row.
func (s *Store) eachTruth(ctx context.Context, t *table, visit func(key []any, value []byte) error) error {
	return s.eachCell(ctx, t, func(k parsedKey, value []byte) error {
		if k.static || k.cell != truthCell {
			return nil
		}
		return visit(k.values, value)
	})
}

func (s *Store) eachCell(ctx context.Context, t *table, visit func(parsedKey, []byte) error) error {
	return s.scan(ctx, t, func(key, value []byte) error {
		k, ok := t.parse(key)
		if !ok {
			return fmt.Errorf("%s: the key %x can't be read: %w", t.name, key, errValue)
		}
		return visit(k, value)
	})
}
