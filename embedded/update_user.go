package embedded

import (
	"context"

	"broadsheet/blog"
)

// UpdateUser is a method of [blog.Commands].
func (s *Store) UpdateUser(ctx context.Context, c blog.UpdateUser) (blog.User, error) {
	return carryOut(ctx, s, c, (*tx).updateUser)
}

func (tx *tx) updateUser(c blog.UpdateUser) (blog.User, error) {
	old, err := tx.actor(c.Actor)
	if err != nil {
		return blog.User{}, err
	}
	return tx.editUser(old, blog.Change{Kind: blog.UserUpdated, Actor: old.ID}, c.Decide)
}

// editUser makes one change of an account: every edit of an account goes this way.
func (tx *tx) editUser(old blog.User, change blog.Change, decide blog.Decide) (blog.User, error) {
	u, changed, err := decide(old, tx.clock)
	if err != nil || !changed {
		return u, err
	}
	if err := tx.moveNames(old, u); err != nil {
		return blog.User{}, err
	}
	renamed := tx.putUser(u, old.FormerNames())
	tx.append(change)
	if !renamed {
		return u, nil
	}
	return u, tx.rename(u.Name())
}
