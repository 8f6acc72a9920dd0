package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/journal"
)

// SetModerator marks the account as a suspension does: commands read it with their actor's username.
func (s *Store) SetModerator(ctx context.Context, c blog.SetModerator) (blog.User, error) {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	in := journal.Intent{Kind: journal.DemoteUser, User: &c.User}
	if c.Moderator {
		in.Kind = journal.PromoteUser
	}
	return s.mark(ctx, in, c.After)
}
