package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/journal"
)

// SuspendUser writes the suspension into the truth that commands read of their actor: with its
// username, so that they read no more than before. Their read and this write overlap in a replica,
// so a command that begins after it has returned is refused.
func (s *Store) SuspendUser(ctx context.Context, c blog.SuspendUser) (blog.User, error) {
	return s.moderate(ctx, c, blog.UserSuspended, c.After)
}

// RestoreUser takes it out again.
func (s *Store) RestoreUser(ctx context.Context, c blog.RestoreUser) (blog.User, error) {
	return s.moderate(ctx, blog.SuspendUser(c), blog.UserRestored, c.After)
}

// moderate edits another's account, as far as the actor may.
func (s *Store) moderate(ctx context.Context, c blog.SuspendUser, change blog.ChangeKind, decide decide) (blog.User, error) {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	if c.Role != blog.Operator {
		if _, err := s.truths.Users.ActorAs(ctx, c.Actor, &c.Role); err != nil {
			return blog.User{}, err
		}
	}
	if err := c.Allowed(); err != nil {
		return blog.User{}, err
	}
	u, err := s.editUser(ctx, journal.Intent{Change: change, Actor: c.Actor, User: &c.User}, decide)
	return u, noSuchUser(err)
}

// noSuchUser makes an answer about the account one about its id.
func noSuchUser(err error) error {
	if blog.KindOf(err) == blog.Forbidden {
		return blog.ErrNoSuchUser()
	}
	return err
}
