package embedded

import (
	"context"

	"broadsheet/blog"
)

// VerifyEmail is a method of [blog.Operations].
func (s *Store) VerifyEmail(ctx context.Context, c blog.VerifyEmail) (u blog.User, err error) {
	if err := c.Validate(); err != nil {
		return u, err
	}
	err = s.command(ctx, func(tx *tx) error {
		u, err = tx.verifyEmail(c)
		return err
	})
	return u, err
}

func (tx *tx) verifyEmail(c blog.VerifyEmail) (blog.User, error) {
	old, err := tx.user(c.User)
	if blog.IsNotFound(err) {
		err = blog.ErrNoSuchUser()
	}
	if err != nil {
		return blog.User{}, err
	}
	u, changed, err := c.After(old, tx.clock)
	if err != nil || !changed {
		return u, err
	}
	kind := blog.UserEmailUnverified
	if c.Verified {
		kind = blog.UserEmailVerified
	}
	return tx.putEdited(old, u, blog.Change{Kind: kind, User: u.ID})
}
