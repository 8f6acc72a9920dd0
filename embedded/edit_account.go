package embedded

import (
	"context"

	"broadsheet/blog"
)

// EditAccount is a method of [blog.Floor].
func (s *Store) EditAccount(ctx context.Context, c blog.SuspendUser, kind blog.ChangeKind, decide blog.Decide) (u blog.User, err error) {
	err = s.command(ctx, func(tx *tx) error {
		if c.Role, err = tx.role(c.Actor, c.Role); err != nil {
			return err
		}
		if err := c.Allowed(); err != nil {
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
