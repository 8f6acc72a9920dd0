package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/journal"
)

// EditAccount is a method of [blog.Floor]. A suspension, and what makes a moderator, is in the truth that
// commands read of their actor. It returns when no server goes by what it read before, so a command that begins after
// it has returned is refused.
func (s *Store) EditAccount(ctx context.Context, c blog.SuspendUser, change blog.ChangeKind, decide blog.Decide) (blog.User, error) {
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
