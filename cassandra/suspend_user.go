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
	return s.suspend(ctx, c, true)
}

// RestoreUser takes it out again.
func (s *Store) RestoreUser(ctx context.Context, c blog.RestoreUser) (blog.User, error) {
	return s.suspend(ctx, blog.SuspendUser(c), false)
}

func (s *Store) suspend(ctx context.Context, c blog.SuspendUser, suspended bool) (blog.User, error) {
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
	in := journal.Intent{Change: blog.UserRestored, Actor: c.Actor, User: &c.User}
	if suspended {
		in.Change = blog.UserSuspended
	}
	u, err := s.editUser(ctx, in, func(u blog.User, clock blog.Clock) (blog.User, bool, error) {
		next, changed := u.SetSuspended(suspended, clock)
		return next, changed, nil
	})
	return u, noSuchUser(err)
}

// noSuchUser makes an answer about the account one about its id.
func noSuchUser(err error) error {
	if blog.KindOf(err) == blog.Forbidden {
		return blog.ErrNoSuchUser()
	}
	return err
}
