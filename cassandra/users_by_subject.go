package cassandra

import (
	"context"

	"broadsheet/blog"
)

// UserBySubject reads the copy of the user that a token's subject acts for.
func (s *Store) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	if subject == "" || len(subject) > blog.MaxIssuerBytes+1+blog.MaxSubjectBytes {
		return blog.User{}, blog.ErrNoUser()
	}
	return s.userOfCard(ctx, blog.BySubject, subject)
}
