package embedded

import (
	"context"

	"broadsheet/blog"
)

// UserByEmail is a method of [blog.Queries].
func (s *Store) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	return s.userBy(ctx, usersByEmail, blog.EmailKey(email))
}
