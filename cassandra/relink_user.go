package cassandra

import (
	"context"

	"broadsheet/blog"
)

// RelinkUser claims the subject, writes it into the truth, and releases the one of before.
func (s *Store) RelinkUser(ctx context.Context, c blog.RelinkUser) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	return s.operateOn(ctx, c.User, blog.UserRelinked, c.After)
}
