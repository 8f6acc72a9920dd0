package embedded

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

// UserByUsername is a method of [blog.Queries].
func (s *Store) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	return s.userBy(ctx, usersByUsername, blog.UsernameKey(username))
}

// userBy reads the copy of a user under a unique key.
func (s *Store) userBy(ctx context.Context, t *table, key string) (u blog.User, err error) {
	snap, err := s.query(ctx, t, key)
	if err != nil {
		return u, err
	}
	defer snap.close(&err)
	for r := range snap.rows(span{}, false) {
		return decodeUser(blog.UserID{UUID: r.id()}, r.cells[1])
	}
	return u, cmp.Or(snap.err, blog.ErrNoUser())
}
