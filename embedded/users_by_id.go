package embedded

import (
	"context"

	"broadsheet/blog"
)

// UserByID is a method of [blog.Queries]; the rows are the truth of users.
func (s *Store) UserByID(ctx context.Context, id blog.UserID) (u blog.User, err error) {
	if err := s.enter(ctx); err != nil {
		return u, err
	}
	defer s.inside.leave()
	u, err = standing(truths{of: s}.user(ctx, id))
	return u, s.convert(err)
}

// putUser writes the truth of a user and its copies. renamed: the copies of its name beside what it
// wrote are still to be written.
func (tx *tx) putUser(u blog.User, former ...blog.FormerNames) (renamed bool) {
	tx.putTruth(usersByID, encodeFamily(blog.UserTruths, u.Stamp, u), u.ID)
	copies, renamed := blog.CopiesOfUser(u, former...)
	tx.putCopies(copies)
	return renamed
}

// standing is a user that was read, unless the account's erasure has begun.
func standing(u blog.User, err error) (blog.User, error) {
	if err == nil && u.IsErased() {
		return blog.User{}, blog.ErrNoUser()
	}
	return u, err
}

// user reads the truth of a user that exists.
func (tx *tx) user(id blog.UserID) (blog.User, error) { return standing(tx.anyUser(id)) }

// anyUser is user, also where the account's erasure has begun.
func (tx *tx) anyUser(id blog.UserID) (blog.User, error) { return tx.truths.user(tx.ctx, id) }

// actor reads the user that gave a command, and may give it.
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

// role returns what an actor may do that comes with a role. An operator needs no account.
func (tx *tx) role(actor blog.UserID, given blog.Role) (blog.Role, error) {
	if given == blog.Operator {
		return given, nil
	}
	u, err := tx.actor(actor)
	return given.Of(u.Moderator), err
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
