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

// operateOn edits an account for an operator.
func (s *Store) operateOn(ctx context.Context, user blog.UserID, kind blog.ChangeKind, decide decide) (blog.User, error) {
	return s.moderate(ctx, blog.SuspendUser{Role: blog.Operator, User: user}, kind, decide)
}

// decide says what an edit makes of a user, whether that is a change, and refuses it.
type decide func(u blog.User, clock blog.Clock) (next blog.User, changed bool, err error)

// editUser makes one change of an account: every edit of an account goes this way.
func (tx *tx) editUser(old blog.User, change blog.Change, decide decide) (blog.User, error) {
	u, changed, err := decide(old, tx.clock)
	if err != nil || !changed {
		return u, err
	}
	if err := tx.claimNames(old, u); err != nil {
		return blog.User{}, err
	}
	if err := tx.releaseNames(old, u); err != nil {
		return blog.User{}, err
	}
	renamed := tx.putUser(u, old.FormerNames())
	tx.append(change)
	if !renamed {
		return u, nil
	}
	return u, tx.rename(u.Name())
}
