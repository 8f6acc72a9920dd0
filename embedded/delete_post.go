package embedded

import (
	"context"

	"broadsheet/blog"
)

// DeletePost is a method of [blog.Commands]. All that hangs on the post goes in the
// same commit, so nothing can be left behind.
func (s *Store) DeletePost(ctx context.Context, c blog.DeletePost) error {
	return s.command(ctx, func(tx *tx) (err error) {
		if c.Role, err = tx.role(c.Actor, c.Role); err != nil {
			return err
		}
		p, err := tx.post(c.Post, "id")
		if err == nil {
			err = c.Allowed(p.Ref())
		}
		if err != nil {
			return err
		}
		return tx.deletePost(p, c.Actor)
	})
}

// deletePost deletes a post on behalf of a user, or of an operator where that is zero.
func (tx *tx) deletePost(p blog.Post, by blog.UserID) error {
	stamp := blog.DeletionStamp(tx.clock, p.Stamp)
	tx.append(blog.Change{Kind: blog.PostDeleted, Actor: by, Post: p.ID})
	tx.deleteRow(postsByID, p.ID)
	tx.putCopies(blog.DeletionsOfPost(p, stamp))
	for _, counted := range blog.CountedTables {
		if err := tx.deleteBelow(tables[counted], p.ID, stamp); err != nil {
			return err
		}
	}
	return nil
}

// deleteBelow deletes the comments of a post, or its reactions of a kind, by the table of their truths.
func (tx *tx) deleteBelow(truths *table, post blog.PostID, stamp int64) error {
	count, err := tx.count(tx.ctx, truths, post)
	if err != nil || count.Stamp == 0 {
		return err
	}
	tx.deletePartition(truths, post)
	of := truths.name.Reaction()
	if of != nil && !of.Private() {
		tx.deletePartition(tables[of.ByPost], post)
	}
	return tx.walk(truths, post, func(r *row) error {
		if of == nil {
			c, err := decodeComment(blog.CommentKey{Post: post, Comment: blog.CommentID{UUID: r.id()}}, r.cells[truthCell])
			tx.putCopies(blog.DeletionsOfComment(c, stamp))
			return err
		}
		key := blog.ReactionKey{Of: of, Post: post, User: blog.UserID{UUID: r.id()}}
		c, err := decodeReaction(key, r.cells[truthCell])
		if c.Stands {
			tx.putCopies(blog.LostReaction(key, c.At, stamp))
		}
		return err
	})
}
