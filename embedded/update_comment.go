package embedded

import (
	"context"

	"broadsheet/blog"
)

// UpdateComment is a method of [blog.Commands].
func (s *Store) UpdateComment(ctx context.Context, c blog.UpdateComment) (blog.Comment, error) {
	return carryOut(ctx, s, c, (*tx).updateComment)
}

func (tx *tx) updateComment(c blog.UpdateComment) (blog.Comment, error) {
	old, err := tx.ownComment(c.Actor, c.Key)
	if err == nil {
		err = blog.CheckVersion(c.ExpectedVersion, old.Version)
	}
	if err != nil {
		return blog.Comment{}, err
	}
	comment, changed := c.After(old, tx.clock)
	if !changed {
		return comment, nil
	}
	growth := len(comment.Content) - len(old.Content)
	now, err := tx.headAfter(c.Key.Post, 0, growth)
	if err != nil {
		return blog.Comment{}, err
	}
	if err := blog.ErrCommentsFull("content", 0, now.bytes); err != nil && growth > 0 {
		return blog.Comment{}, err
	}
	tx.putComment(comment, now.Stamp)
	tx.putCommentsHead(c.Key.Post, now) // its copies hold the same number still
	tx.append(blog.Change{Kind: blog.CommentUpdated, Actor: c.Actor, Post: c.Key.Post, Comment: c.Key.Comment})
	return comment, nil
}
