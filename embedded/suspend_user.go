package embedded

import (
	"context"

	"broadsheet/blog"
)

// SuspendUser is a method of [blog.Commands].
func (s *Store) SuspendUser(ctx context.Context, c blog.SuspendUser) (blog.User, error) {
	return s.moderate(ctx, c, blog.UserSuspended, c.After)
}

// RestoreUser is a method of [blog.Commands].
func (s *Store) RestoreUser(ctx context.Context, c blog.RestoreUser) (blog.User, error) {
	return s.moderate(ctx, blog.SuspendUser(c), blog.UserRestored, c.After)
}

// moderate edits another's account, as far as the actor may.
func (s *Store) moderate(ctx context.Context, c blog.SuspendUser, kind blog.ChangeKind, decide decide) (u blog.User, err error) {
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
