package embedded

import (
	"context"

	"broadsheet/blog"
)

// CreateUser is a method of [blog.Commands].
func (s *Store) CreateUser(ctx context.Context, c blog.CreateUser) (u blog.User, err error) {
	if err := c.Validate(); err != nil {
		return u, err
	}
	err = s.command(ctx, func(tx *tx) error {
		return tx.once(c.Idempotency, keyed{
			run: func() (blog.UUID, error) {
				u, err = tx.createUser(c)
				return u.ID.UUID, err
			},
			again: func(id blog.UUID) error {
				u, err = c.Repeated(tx.user(blog.UserID{UUID: id}))
				return err
			},
		})
	})
	return u, err
}

func (tx *tx) createUser(c blog.CreateUser) (blog.User, error) {
	u := c.User(tx.ids.User(), tx.clock)
	if err := tx.claimNames(blog.User{}, u); err != nil {
		return blog.User{}, err
	}
	tx.putTruth(usersByID, encodeUser(u), u.ID)
	copies, _ := blog.CopiesOfUser(u)
	tx.putCopies(copies)
	tx.tell(blog.Change{Kind: blog.UserCreated, Actor: u.ID})
	return u, nil
}
