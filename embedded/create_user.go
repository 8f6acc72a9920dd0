package embedded

import (
	"context"

	"broadsheet/blog"
)

// CreateUser is a method of [blog.Commands].
func (s *Store) CreateUser(ctx context.Context, c blog.CreateUser) (blog.User, error) {
	return carryOut(ctx, s, c, (*tx).createUser)
}

func (tx *tx) createUser(c blog.CreateUser) (u blog.User, err error) {
	create := func() (blog.UUID, error) {
		u = c.User(tx.ids.User(), tx.clock)
		if err := tx.moveNames(blog.User{}, u); err != nil {
			return blog.UUID{}, err
		}
		tx.putUser(u)
		tx.append(blog.Change{Kind: blog.UserCreated, Actor: u.ID})
		return u.ID.UUID, nil
	}
	err = tx.once(c.Idempotency, create, func(id blog.UUID) error {
		u, err = c.Repeated(tx.user(blog.UserID{UUID: id}))
		return err
	})
	return u, err
}
