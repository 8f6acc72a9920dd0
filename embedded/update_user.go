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
	if err := blog.CheckVersion(c.ExpectedVersion, old.Version); err != nil {
		return blog.User{}, err
	}
	u, changed := c.After(old, tx.clock)
	if !changed {
		return u, nil
	}
	if err := c.CheckRename(old, u); err != nil {
		return blog.User{}, err
	}
	if err := tx.claimNames(u); err != nil {
		return blog.User{}, err
	}
	tx.releaseNames(old, u)
	tx.putTruth(usersByID, encodeUser(u), u.ID)
	copies, renamed := blog.CopiesOfUser(u, old.FormerNames())
	tx.putCopies(copies)
	tx.tell(blog.Change{Kind: blog.UserUpdated, Actor: u.ID})
	if !renamed {
		return u, nil
	}
	return u, tx.rename(u.Name())
}
