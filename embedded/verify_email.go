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
	kind := blog.UserEmailUnverified
	if c.Verified {
		kind = blog.UserEmailVerified
	}
	return tx.operateOn(c.User, kind, c.After)
}

// operateOn edits an account for an operator.
func (tx *tx) operateOn(id blog.UserID, kind blog.ChangeKind, decide func(blog.User, blog.Clock) (blog.User, bool, error)) (blog.User, error) {
	old, err := tx.user(id)
	if blog.IsNotFound(err) {
		err = blog.ErrNoSuchUser()
	}
	if err != nil {
		return blog.User{}, err
	}
	u, changed, err := decide(old, tx.clock)
	if err != nil || !changed {
		return u, err
	}
	return tx.putEdited(old, u, blog.Change{Kind: kind, User: u.ID})
}
