package embedded

import (
	"context"

	"broadsheet/blog"
)

// DeleteComment is a method of [blog.Commands].
func (s *Store) DeleteComment(ctx context.Context, c blog.DeleteComment) (count blog.Count, err error) {
	err = s.command(ctx, func(tx *tx) error {
		if c.Role, err = tx.role(c.Actor, c.Role); err != nil {
			return err
		}
		count, err = tx.deleteComment(c)
		return err
	})
	return count, err
}

func (tx *tx) deleteComment(c blog.DeleteComment) (blog.Count, error) {
	comment, err := tx.comment(c.Key)
	if err != nil {
		return blog.Count{}, err
	}
	p, err := tx.post(c.Key.Post, "id")
	if err == nil {
		err = tx.unlessModerated(c.Allowed(comment, p.Ref()), c.Actor, p.Ref())
	}
	if err != nil {
		return blog.Count{}, err
	}
	now, err := tx.headAfter(p.ID, -1, -len(comment.Content))
	if err != nil {
		return blog.Count{}, err
	}
	stamp := blog.DeletionStamp(tx.clock, now.Stamp)
	tx.deleteRow(commentsByPost, comment.Post, comment.ID)
	tx.putCommentsHead(p.ID, now)
	tx.putCopies(blog.DeletionsOfComment(comment, stamp))
	tx.putCopies(blog.CopiesOfCount(blog.CommentsByPost, p.Ref(), now.Count))
	tx.append(blog.Change{Kind: blog.CommentDeleted, Actor: c.Actor, Post: p.ID, Comment: comment.ID})
	return now.Count, nil
}
