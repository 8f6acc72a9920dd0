package embedded

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

// CreateGroup is a method of [blog.Commands].
func (s *Store) CreateGroup(ctx context.Context, c blog.CreateGroup) (blog.Group, error) {
	return carryOut(ctx, s, c, (*tx).createGroup)
}

func (tx *tx) createGroup(c blog.CreateGroup) (g blog.Group, err error) {
	if _, err := tx.actor(c.Owner); err != nil {
		return g, err
	}
	create := func() (blog.UUID, error) {
		g = c.Group(tx.clock)
		if _, taken, err := tx.group(g.ID); taken || !blog.IsNotFound(err) {
			return g.ID.UUID, cmp.Or(ifAbsent(err, nil), blog.ErrTaken("name"))
		}
		if err := tx.mayOwnMore(c.Owner); err != nil {
			return g.ID.UUID, err
		}
		tx.putGroup(g)
		tx.append(blog.Change{Kind: blog.GroupCreated, Actor: c.Owner, Group: g.ID})
		return g.ID.UUID, nil
	}
	err = tx.once(c.Idempotency, create, func(id blog.UUID) error {
		g, _, err = tx.group(blog.GroupID{UUID: id})
		return ifAbsent(err, blog.ErrGoneSince("group"))
	})
	return g, err
}
