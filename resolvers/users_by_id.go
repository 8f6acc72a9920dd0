package resolvers

import (
	"context"

	"broadsheet/blog"
)

// User reads a user by id or by username.
func (q query) User(ctx context.Context, id, username *string) (*blog.User, error) {
	if err := exactlyOne("id", id, "username", username); err != nil {
		return nil, err
	}
	if username != nil {
		account, err := q.store.UserByUsername(ctx, *username)
		return blog.Found(shown(ctx, account, err))
	}
	key, err := queryID[blog.UserID]("id", *id)
	if err != nil {
		return nil, err
	}
	account, err := q.store.UserByID(ctx, key)
	return blog.Found(shown(ctx, account, err))
}

// Email shows an address to its owner alone.
func (u user) Email(ctx context.Context, obj *blog.User) (*string, error) {
	if obj.Subject != AskerOf(ctx).Subject {
		return nil, nil
	}
	return obj.Email, nil
}

// Suspended is for the user itself, and for moderators. Whether the viewer's account is one is read once for an
// operation.
func (u user) Suspended(ctx context.Context, obj *blog.User) (*bool, error) {
	asker := AskerOf(ctx)
	if own := asker.Subject != "" && obj.Subject == asker.Subject; own || asker.Role != blog.Member {
		return &obj.Suspended, nil
	}
	if viewer, err := u.viewer(ctx); viewer == nil || !viewer.Moderator {
		return nil, err
	}
	return &obj.Suspended, nil
}

// EmailVerified is for the address's owner alone.
func (u user) EmailVerified(ctx context.Context, obj *blog.User) (*bool, error) {
	email, err := u.Email(ctx, obj)
	if email == nil {
		return nil, err
	}
	return new(obj.EmailVerified()), nil
}
