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
	tx.putCopies(blog.CopiesOfPost(blog.PostState{Post: p, Gone: stamp}))
	if err := tx.deleteComments(p.ID, stamp); err != nil {
		return err
	}
	for _, k := range blog.ReactionKinds {
		if err := tx.deleteReactions(k, p.ID, stamp); err != nil {
			return err
		}
	}
	return nil
}

func (tx *tx) deleteComments(post blog.PostID, stamp int64) error {
	count, err := tx.count(tx.ctx, commentsByPost, post)
	if err != nil || count.Stamp == 0 {
		return err
	}
	tx.deletePartition(commentsByPost, post)
	return tx.walk(commentsByPost, post, func(r *row) error {
		c, err := decodeComment(blog.CommentKey{Post: post, Comment: blog.CommentID{UUID: r.id()}}, r.cells[truthCell])
		tx.putCopies(blog.CopiesOfComment(blog.CommentState{Comment: c, Gone: stamp}))
		return err
	})
}

func (tx *tx) deleteReactions(of *blog.ReactionKind, post blog.PostID, stamp int64) error {
	claims := tables[of.Table]
	count, err := tx.count(tx.ctx, claims, post)
	if err != nil || count.Stamp == 0 {
		return err
	}
	tx.deletePartition(claims, post)
	tx.deletePartition(tables[of.ByPost], post)
	return tx.walk(claims, post, func(r *row) error {
		key := blog.ReactionKey{Of: of, Post: post, User: blog.UserID{UUID: r.id()}}
		c, err := decodeReaction(key, r.cells[truthCell])
		if c.Stands {
			tx.putCopies(blog.LostReaction(key, c.At, stamp))
		}
		return err
	})
}
