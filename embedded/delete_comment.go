package embedded

import (
	"context"

	"broadsheet/blog"
)

// DeleteComment is a method of [blog.Commands].
func (s *Store) DeleteComment(ctx context.Context, c blog.DeleteComment) (count blog.Count, err error) {
	err = s.command(ctx, func(tx *tx) error {
		count, err = tx.deleteComment(c)
		return err
	})
	return count, err
}

func (tx *tx) deleteComment(c blog.DeleteComment) (blog.Count, error) {
	comment, err := tx.ownComment(c.Actor, c.Key)
	if err != nil {
		return blog.Count{}, err
	}
	p, err := tx.post(c.Key.Post, "id")
	if err != nil {
		return blog.Count{}, err
	}
	count, err := tx.count(commentsByPost, p.ID)
	if err != nil {
		return blog.Count{}, err
	}
	count = tx.counted(count, -1)
	stamp := blog.DeletionStamp(tx.clock, count.Stamp)
	tx.kill(commentsByPost, stamp, comment.Post, comment.ID)
	tx.putCopies(blog.DeletedCommentCopies(comment, stamp))
	tx.putCommentCount(p.Ref(), count)
	return count, nil
}
