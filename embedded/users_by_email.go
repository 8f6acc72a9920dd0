package embedded

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

// UserByEmail is a method of [blog.Queries].
func (s *Store) UserByEmail(ctx context.Context, email string) (u blog.User, err error) {
	key := blog.EmailKey(email)
	snap, err := s.query(ctx, usersByEmail, key)
	if err != nil {
		return u, err
	}
	defer snap.close(&err)
	var listed []blog.User
	for r := range snap.rows(span{}, false) {
		u, err := decodeUser(blog.UserID{UUID: r.id()}, r.cells[1])
		if err != nil {
			return u, err
		}
		listed = append(listed, u)
	}
	if owner, found := blog.EmailOwner(key, listed); found {
		return owner, nil
	}
	return u, cmp.Or(snap.err, blog.ErrNoUser())
}
