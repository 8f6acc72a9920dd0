package embedded

import (
	"context"

	"broadsheet/blog"
)

// EditAccount is a method of [blog.AccountEditor].
func (s *Store) EditAccount(ctx context.Context, c blog.SuspendUser, kind blog.ChangeKind, decide blog.Decide) (u blog.User, err error) {
	err = s.command(ctx, func(tx *tx) error {
		if err := tx.moderates(c); err != nil {
			return err
		}
		old, err := tx.user(c.User)
		if err == nil {
			u, err = tx.editUser(old, blog.Change{Kind: kind, Actor: c.Actor, User: c.User}, decide)
		}
		return ifAbsent(err, blog.ErrNoSuchUser())
	})
	return u, err
}

// moderates returns nil where the actor may suspend the account.
func (tx *tx) moderates(c blog.SuspendUser) error {
	if c.Role != blog.Operator {
		actor, err := tx.actor(c.Actor)
		if err != nil {
			return err
		}
		c.Role = c.Role.Of(actor.Moderator)
	}
	return c.Allowed()
}
