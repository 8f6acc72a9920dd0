package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
)

// What it takes away it makes empty, not null: a null is a tombstone, of which readers can
// pass so many and no more. Of the copy in the row nobody will read the name again, so it is
// no matter that a conditional write's time stands above its truth's.
var deleteComment = cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET content = '', username = '', recent_commands = [], edits = 0 WHERE post_id = ? AND bucket = 0 AND comment_id = ? IF edits = ?`)

// DeleteComment takes the comment's text away and lowers the post's count in one
// conditional batch, then takes it off its author's list. The row stays, dead,
// without what makes it a comment: whoever lost the answer to its creation, or comes with
// its idempotency key, must not create it again.
func (s *Store) DeleteComment(ctx context.Context, c blog.DeleteComment) (blog.Count, error) {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.Count{}, err
	}
	defer end()
	leave, err := s.comments.Enter(c.Key.Post)
	if err != nil {
		return blog.Count{}, err
	}
	defer leave()
	own, err := s.commentOf(ctx, c.Actor, c.Key)
	if err != nil {
		return blog.Count{}, err
	}
	note, err := s.note(ctx, s.newCommand(), intent{Kind: kindDeleteComment, Actor: c.Actor, Post: &c.Key.Post, Comment: &c.Key.Comment, Author: &c.Actor})
	if err != nil {
		return blog.Count{}, err
	}
	removing := removeComment(own.comment)
	removing.Seen, removing.Before = own.header, note.before(nil)
	now, err := s.comments.Commit(ctx, c.Key.Post, removing)
	if err != nil {
		note.giveUp(ctx, attemptIDs{}, err)
		return blog.Count{}, postGoneIsCommentGone(err)
	}
	stamp := blog.DeletionStamp(s.clock, now.Stamp, own.actor.Stamp)
	s.publish(ctx, note.entry, views{
		copies: blog.CopiesOfComment(blog.CommentState{Ref: own.post, Comment: own.comment.Comment, Count: now.Count(), Gone: stamp}),
		dead:   []gapKey{commentGapKey(c.Key)},
	})
	return now.OwnCount(), nil
}

func removeComment(comment commentTruth) counted.Change[commentTruth] {
	key, version, bytes := comment.Key(), comment.Version, len(comment.Content)
	return counted.Change[commentTruth]{
		Row:   key.Comment.UUID,
		Delta: -1,
		Bytes: func() int { return -bytes },
		Entries: func(counted.Header) []cql.Bound {
			return []cql.Bound{deleteComment.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID), version)}
		},
		Reread: func(now commentTruth, maybe bool) (gone bool, err error) {
			if !now.stands() {
				if maybe {
					return true, nil
				}
				return false, blog.ErrNoComment()
			}
			version, bytes = now.Version, len(now.Content)
			return false, nil
		},
	}
}
