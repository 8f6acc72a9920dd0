package embedded

import (
	"context"

	"broadsheet/blog"
)

// UserByID is a method of [blog.Queries]; the rows are the truth of users.
func (s *Store) UserByID(ctx context.Context, id blog.UserID) (u blog.User, err error) {
	value, err := s.get(ctx, usersByID, usersByID.cellKey(truthCell, id))
	if err != nil {
		return u, err
	}
	if value == "" {
		return u, blog.ErrNoUser()
	}
	u, err = decodeUser(blog.User{ID: id}, value)
	if err == nil && u.IsErased() {
		return blog.User{}, blog.ErrNoUser()
	}
	return u, s.convert(err)
}

// encodeUser writes the truth of a user, which has the fields of its copies.
func encodeUser(u blog.User) []byte { return users.encode(blog.UserTruths, u.Stamp, u) }

var wholeUser = readerOf[blog.User](blog.UserTruths)

// decodeUser reads the truth of a user, or a copy of it.
func decodeUser(u blog.User, value string) (blog.User, error) {
	return users.read(u, func(u *blog.User) (err error) {
		u.Stamp, err = wholeUser.read(value, u)
		return err
	})
}

// userExists tells an empty list from one whose user does not exist.
func (s *Store) userExists(ctx context.Context, id blog.UserID) error {
	_, err := s.UserByID(ctx, id)
	return err
}

// user reads the truth of a user, who exists.
func (tx *tx) user(id blog.UserID) (blog.User, error) {
	u, err := tx.anyUser(id)
	if err == nil && u.IsErased() {
		return blog.User{}, blog.ErrNoUser()
	}
	return u, err
}

// anyUser is user, also where the account's erasure has begun.
func (tx *tx) anyUser(id blog.UserID) (blog.User, error) {
	value, err := tx.get(usersByID, truthCell, id)
	if err != nil {
		return blog.User{}, err
	}
	if value == "" {
		return blog.User{}, blog.ErrNoUser()
	}
	return decodeUser(blog.User{ID: id}, value)
}

// actor reads the user who gave a command, and may give it.
func (tx *tx) actor(id blog.UserID) (blog.User, error) {
	u, err := tx.user(id)
	switch {
	case blog.IsNotFound(err):
		return u, blog.ErrNoAccount()
	case err == nil && u.Suspended:
		return u, blog.ErrSuspended()
	}
	return u, err
}

// Empty is a method of [blog.Store]. Without users there are no posts.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	empty := true
	err := s.scan(ctx, usersByID, func(_, _ []byte) error {
		empty = false
		return errEnough
	})
	return empty, err
}
