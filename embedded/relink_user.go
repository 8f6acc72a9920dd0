package embedded

import (
	"context"

	"broadsheet/blog"
)

// RelinkUser is a method of [blog.Operations].
func (s *Store) RelinkUser(ctx context.Context, c blog.RelinkUser) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	return s.operateOn(ctx, c.User, blog.UserRelinked, c.After)
}
