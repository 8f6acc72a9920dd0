package embedded

import (
	"context"

	"broadsheet/blog"
)

// SuspendUser is a method of [blog.Commands].
func (s *Store) SuspendUser(ctx context.Context, c blog.SuspendUser) (blog.User, error) {
	return s.setSuspended(ctx, c, true)
}

// RestoreUser is a method of [blog.Commands].
func (s *Store) RestoreUser(ctx context.Context, c blog.RestoreUser) (blog.User, error) {
	return s.setSuspended(ctx, blog.SuspendUser(c), false)
}

func (s *Store) setSuspended(ctx context.Context, c blog.SuspendUser, suspended bool) (u blog.User, err error) {
	err = s.command(ctx, func(tx *tx) error {
		u, err = tx.setSuspended(c, suspended)
		return err
	})
	return u, err
}

func (tx *tx) setSuspended(c blog.SuspendUser, suspended bool) (blog.User, error) {
	if c.Role != blog.Operator {
		actor, err := tx.actor(c.Actor)
		if err != nil {
			return blog.User{}, err
		}
		c.Role = c.Role.Of(actor.Moderator)
	}
	if err := c.Allowed(); err != nil {
		return blog.User{}, err
	}
	old, err := tx.user(c.User)
	if err != nil {
		return blog.User{}, noSuchUser(err)
	}
	u, changed := old.SetSuspended(suspended, tx.clock)
	if !changed {
		return u, nil
	}
	tx.putTruth(usersByID, encodeUser(u), u.ID)
	copies, _ := blog.CopiesOfUser(u)
	tx.putCopies(copies)
	kind := blog.UserRestored
	if suspended {
		kind = blog.UserSuspended
	}
	tx.tell(blog.Change{Kind: kind, Actor: c.Actor, User: u.ID})
	return u, nil
}
