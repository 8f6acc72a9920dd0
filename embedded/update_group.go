package embedded

import (
	"context"

	"broadsheet/blog"
)

// UpdateGroup is a method of [blog.Commands].
func (s *Store) UpdateGroup(ctx context.Context, c blog.UpdateGroup) (blog.Group, error) {
	return carryOut(ctx, s, c, (*tx).updateGroup)
}

func (tx *tx) updateGroup(c blog.UpdateGroup) (blog.Group, error) {
	if _, err := tx.actor(c.Actor); err != nil {
		return blog.Group{}, err
	}
	old, _, err := tx.group(c.Group)
	if err != nil {
		return blog.Group{}, err
	}
	g, changed, err := c.Decide(old, tx.clock)
	if err == nil && changed {
		tx.putGroup(g)
		tx.append(blog.Change{Kind: blog.GroupUpdated, Actor: c.Actor, Group: g.ID})
	}
	return g, err
}
