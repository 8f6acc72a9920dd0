package embedded

import (
	"context"

	"broadsheet/blog"
)

// RelinkUser is a method of [blog.Operations].
func (s *Store) RelinkUser(ctx context.Context, c blog.RelinkUser) (u blog.User, err error) {
	if err := c.Validate(); err != nil {
		return u, err
	}
	err = s.command(ctx, func(tx *tx) error {
		u, err = tx.operateOn(c.User, blog.UserRelinked, c.After)
		return err
	})
	return u, err
}
