package embedded

import (
	"context"

	"broadsheet/blog"
)

// SetModerator is a method of [blog.Operations].
func (s *Store) SetModerator(ctx context.Context, c blog.SetModerator) (blog.User, error) {
	kind := blog.UserDemoted
	if c.Moderator {
		kind = blog.UserPromoted
	}
	return s.operateOn(ctx, c.User, kind, c.After)
}
