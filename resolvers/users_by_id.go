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
		account, err := accountBy(ctx, q.Resolver, accountKey{username: *username}, *username, q.store.UserByUsername)
		return blog.Found(shown(ctx, account, err))
	}
	key, err := queryID[blog.UserID]("id", *id)
	if err != nil {
		return nil, err
	}
	account, err := q.userByID(ctx, key)
	return blog.Found(shown(ctx, account, err))
}

// isOwn reports whether an account is the viewer's. One that is being erased is shown without its subject.
func isOwn(ctx context.Context, account *blog.User) bool {
	subject := AskerOf(ctx).Subject
	return subject != "" && subject == account.Subject
}

// Email shows an address to its owner alone.
func (u user) Email(ctx context.Context, obj *blog.User) (*string, error) {
	if !isOwn(ctx, obj) {
		return nil, nil
	}
	return obj.Email, nil
}

// Suspended is for the user itself, and for moderators.
func (u user) Suspended(ctx context.Context, obj *blog.User) (*bool, error) {
	return u.toModerators(ctx, obj, obj.Suspended)
}

// Moderator is for the user itself, of which the token may say it, and for moderators.
func (u user) Moderator(ctx context.Context, obj *blog.User) (*bool, error) {
	role := blog.Member
	if isOwn(ctx, obj) {
		role = AskerOf(ctx).Role
	}
	return u.toModerators(ctx, obj, role.Of(obj.Moderator) != blog.Member)
}

// toModerators tells of an account to its owner and to moderators. Whether the viewer's account is one is read once for an
// operation.
func (u user) toModerators(ctx context.Context, obj *blog.User, fact bool) (*bool, error) {
	if isOwn(ctx, obj) || AskerOf(ctx).Role != blog.Member {
		return &fact, nil
	}
	if viewer, err := u.viewer(ctx); viewer == nil || !viewer.Moderator {
		return nil, err
	}
	return &fact, nil
}

// EmailVerified is for the address's owner alone.
func (u user) EmailVerified(ctx context.Context, obj *blog.User) (*bool, error) {
	email, err := u.Email(ctx, obj)
	if email == nil {
		return nil, err
	}
	return new(obj.EmailVerified()), nil
}
