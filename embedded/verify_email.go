package embedded

import (
	"context"

	"broadsheet/blog"
)

// VerifyEmail is a method of [blog.Operations].
func (s *Store) VerifyEmail(ctx context.Context, c blog.VerifyEmail) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	kind := blog.UserEmailUnverified
	if c.Verified {
		kind = blog.UserEmailVerified
	}
	return s.operateOn(ctx, c.User, kind, c.After)
}
