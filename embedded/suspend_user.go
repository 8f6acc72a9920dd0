package embedded

import (
	"context"

	"broadsheet/blog"
)

// SuspendUser is a method of [blog.Moderation].
func (s *Store) SuspendUser(ctx context.Context, c blog.SuspendUser) (blog.User, error) {
	return s.setSuspended(ctx, c.User, true)
}

// RestoreUser is a method of [blog.Moderation].
func (s *Store) RestoreUser(ctx context.Context, c blog.RestoreUser) (blog.User, error) {
	return s.setSuspended(ctx, c.User, false)
}

func (s *Store) setSuspended(ctx context.Context, user blog.UserID, suspended bool) (u blog.User, err error) {
	err = s.command(ctx, func(tx *tx) error {
		u, err = tx.setSuspended(user, suspended)
		return err
	})
	return u, err
}

func (tx *tx) setSuspended(user blog.UserID, suspended bool) (blog.User, error) {
	old, err := tx.user(user)
	if blog.IsNotFound(err) {
		err = blog.ErrNoSuchUser()
	}
	if err != nil {
		return blog.User{}, err
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
	tx.tell(blog.Change{Kind: kind, User: u.ID})
	return u, nil
}
