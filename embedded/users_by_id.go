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
	u, err = decodeUser(id, value)
	return u, s.convert(err)
}

func encodeUser(u blog.User) []byte {
	return encode(u.Stamp, u.Username, u.Subject, u.Email, u.DisplayName, u.Bio, u.Version)
}

// decodeUser reads the truth of a user or a copy of the whole user, which have the
// same fields.
func decodeUser(id blog.UserID, value string) (blog.User, error) {
	f := decode(value)
	u := blog.User{
		ID:          id,
		Stamp:       f.stamp,
		Username:    field[string](f),
		Subject:     field[string](f),
		Email:       field[*string](f),
		DisplayName: field[*string](f),
		Bio:         field[*string](f),
		Version:     field[int](f),
	}
	return u, f.end()
}

// userExists tells an empty list from one whose user does not exist.
func (s *Store) userExists(ctx context.Context, id blog.UserID) error {
	_, err := s.UserByID(ctx, id)
	return err
}

// user reads the truth of a user, who exists.
func (tx *tx) user(id blog.UserID) (blog.User, error) {
	value, err := tx.get(usersByID, truthCell, id)
	if err != nil {
		return blog.User{}, err
	}
	if value == "" {
		return blog.User{}, blog.ErrNoUser()
	}
	return decodeUser(id, value)
}

// actor reads the user who gave a command.
func (tx *tx) actor(id blog.UserID) (blog.User, error) {
	u, err := tx.user(id)
	if blog.IsNotFound(err) {
		return u, blog.ErrNoAccount()
	}
	return u, err
}
