package cassandra

import (
	"context"

	"broadsheet/blog"
)

// SetModerator marks the account as a suspension does: commands read it with their actor's username.
func (s *Store) SetModerator(ctx context.Context, c blog.SetModerator) (blog.User, error) {
	change := blog.UserDemoted
	if c.Moderator {
		change = blog.UserPromoted
	}
	return s.operateOn(ctx, c.User, change, c.After)
}
