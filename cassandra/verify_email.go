package cassandra

import (
	"context"

	"broadsheet/blog"
)

// VerifyEmail edits an account as its owner would who has proved the address: that is claimed before the
// truth is written, or given back behind it.
func (s *Store) VerifyEmail(ctx context.Context, c blog.VerifyEmail) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	change := blog.UserEmailUnverified
	if c.Verified {
		change = blog.UserEmailVerified
	}
	return s.operateOn(ctx, c.User, change, c.After)
}
