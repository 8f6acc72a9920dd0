package cassandra

import (
	"context"

	"broadsheet/blog"
)

var (
	deleteComment     = statement{blog.CommentsByPost, `DELETE FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id = ? IF edits = ?`}
	deleteCommentName = statement{blog.CommentsByPost, `DELETE username FROM comments_by_post USING TIMESTAMP ? WHERE post_id = ? AND bucket = 0 AND comment_id = ?`}
)

// DeleteComment deletes the comment and lowers the post's count in one conditional
// batch, then takes it off its author's list. The copy of the username in the
// truth's own row goes by a tombstone of its own, so that a rename that walks past
// late does not bring half a row back.
func (s *Store) DeleteComment(ctx context.Context, c blog.DeleteComment) (blog.Count, error) {
	ctx, cancel := s.commandContext(ctx)
	defer cancel()
	name, comment, ref, err := s.commentOf(ctx, c.Actor, c.Key)
	if err != nil {
		return blog.Count{}, err
	}
	command := s.ids.Command()
	err = s.record(ctx, command, intent{Kind: "deleteComment", Actor: c.Actor, Post: &ref, Comment: &c.Key.Comment, Author: &c.Actor})
	if err != nil {
		return blog.Count{}, err
	}
	now, err := s.commit(ctx, s.comments, c.Key.Post, s.removeComment(comment))
	if err != nil {
		s.giveUp(ctx, attemptIDs{entry: command}, err)
		return blog.Count{}, postGoneIsCommentGone(err)
	}
	stamp := blog.DeletionStamp(s.clock, now.stamp, name.Stamp)
	s.publish(ctx, command, views{
		copies: append(blog.DeletedCommentCopies(comment, stamp), blog.CommentCountCopies(ref, now.count())...),
		extra:  []bound{deleteCommentName.with(stamp, id(c.Key.Post.UUID), id(c.Key.Comment.UUID))},
	})
	return now.count(), nil
}

func (s *Store) removeComment(c blog.Comment) change {
	return change{
		delta: -1,
		entries: func(head) []bound {
			return []bound{deleteComment.with(id(c.Post.UUID), id(c.ID.UUID), c.Version)}
		},
		reread: func(ctx context.Context, maybe bool) (gone bool, err error) {
			now, err := s.commentTruth(ctx, c.Key(), s.oneSerial)
			if blog.IsNotFound(err) && maybe {
				return true, nil
			}
			c.Version = now.Version
			return false, err
		},
	}
}
