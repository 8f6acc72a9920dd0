package embedded

import (
	"context"

	"broadsheet/blog"
)

// SetModerator is a method of [blog.Operations].
func (s *Store) SetModerator(ctx context.Context, c blog.SetModerator) (u blog.User, err error) {
	kind := blog.UserDemoted
	if c.Moderator {
		kind = blog.UserPromoted
	}
	err = s.command(ctx, func(tx *tx) error {
		u, err = tx.operateOn(c.User, kind, c.After)
		return err
	})
	return u, err
}
