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
			err = tx.unlessModerated(c.Allowed(p.Ref()), c.Actor, p.Ref())
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
	return tx.deleteBelow(blog.AboutPost, p.ID.UUID, stamp)
}

// deleteBelow deletes all that is counted below a parent.
func (tx *tx) deleteBelow(parent *blog.Subject, id blog.UUID, stamp int64) error {
	for _, counted := range parent.Counted() {
		if err := tx.deleteCounted(tables[counted], id, stamp); err != nil {
			return err
		}
	}
	return nil
}

// deleteCounted deletes the comments of a post, or a parent's reactions of a kind, by the table of their truths.
func (tx *tx) deleteCounted(truths *table, parent blog.UUID, stamp int64) error {
	count, err := tx.count(tx.ctx, truths, parent)
	if err != nil || count.Stamp == 0 {
		return err
	}
	tx.deletePartition(truths, parent)
	of := truths.name.Reaction()
	if of != nil && !of.Private() {
		tx.deletePartition(tables[of.ByParent], parent)
		for shard := range blog.MembersByGroup.Declaration().Shards() {
			if of == blog.Members {
				tx.deletePartition(tables[blog.MembersByGroup], parent, shard)
			}
		}
	}
	return tx.walk(truths, parent, func(r *row) error {
		if of == nil {
			c, err := decodeComment(blog.CommentKey{Post: blog.PostID{UUID: parent}, Comment: blog.CommentID{UUID: r.id()}}, r.cells[truthCell])
			tx.putCopies(blog.DeletionsOfComment(c, stamp))
			return err
		}
		key := blog.ReactionKey{Of: of, To: parent, User: blog.UserID{UUID: r.id()}}
		c, err := decodeReaction(key, r.cells[truthCell])
		if c.Stands {
			tx.putCopies(blog.LostReaction(key, c.At, stamp))
		}
		return err
	})
}
