package embedded

import (
	"context"

	"broadsheet/blog"
)

// DeleteGroup is a method of [blog.Commands]. Its members go in the same commit.
func (s *Store) DeleteGroup(ctx context.Context, c blog.DeleteGroup) error {
	return s.command(ctx, func(tx *tx) (err error) {
		if c.Role, err = tx.role(c.Actor, c.Role); err != nil {
			return err
		}
		g, _, err := tx.group(c.Group)
		if err == nil {
			err = c.Allowed(g)
		}
		if err != nil {
			return err
		}
		return tx.deleteGroup(g, c.Actor)
	})
}

func (tx *tx) deleteGroup(g blog.Group, by blog.UserID) error {
	tx.append(blog.Change{Kind: blog.GroupDeleted, Actor: by, Group: g.ID})
	stamp, gone := blog.DeletionStamp(tx.clock, g.Stamp), g.Deleted(tx.clock)
	tx.putTruth(groupsByID, encodeFamily(blog.GroupText, gone.Stamp, gone), g.ID) // its name stays taken
	tx.putCopies(blog.DeletionsOfGroup(g, stamp))
	return tx.deleteBelow(blog.AboutGroup, g.ID.UUID, stamp)
}
