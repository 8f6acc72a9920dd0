package embedded

import (
	"context"

	"broadsheet/blog"
)

// UserBySubject is a method of [blog.Queries].
func (s *Store) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	return s.userBy(ctx, usersBySubject, subject)
}
