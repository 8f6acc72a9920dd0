package embedded

import (
	"context"

	"broadsheet/blog"
)

// UpdateUser is a method of [blog.Commands].
func (s *Store) UpdateUser(ctx context.Context, c blog.UpdateUser) (u blog.User, err error) {
	if err := c.Validate(); err != nil {
		return u, err
	}
	err = s.command(ctx, func(tx *tx) error {
		u, err = tx.updateUser(c)
		return err
	})
	return u, err
}

func (tx *tx) updateUser(c blog.UpdateUser) (blog.User, error) {
	old, err := tx.actor(c.Actor)
	if err != nil {
		return blog.User{}, err
	}
	u, changed, err := c.Decide(old, tx.clock)
	if err != nil || !changed {
		return u, err
	}
	return tx.putEdited(old, u, blog.Change{Kind: blog.UserUpdated, Actor: u.ID})
}

// putEdited writes a user after an edit, and what follows.
func (tx *tx) putEdited(old, u blog.User, change blog.Change) (blog.User, error) {
	if err := tx.claimNames(old, u); err != nil {
		return blog.User{}, err
	}
	if err := tx.releaseNames(old, u); err != nil {
		return blog.User{}, err
	}
	tx.putTruth(usersByID, encodeUser(u), u.ID)
	copies, renamed := blog.CopiesOfUser(u, old.FormerNames())
	tx.putCopies(copies)
	tx.tell(change)
	if !renamed {
		return u, nil
	}
	return u, tx.rename(u.Name())
}
