package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

// What it takes away it makes empty, not null: a null is a tombstone, of which readers can
// pass so many and no more.
var deleteComment = cql.On(blog.CommentsByPost,
	`UPDATE comments_by_post SET `+tables.Comments.Emptied+`, recent_commands = ?`+
		` WHERE post_id = ? AND bucket = 0 AND comment_id = ? IF edits = ?`)

// DeleteComment takes the comment's text away and lowers the post's count in one
// conditional batch, then takes it off its author's list. The row stays, dead,
// without what makes it a comment: a client that lost the answer to its creation, or comes with
// its idempotency key, must not create it again.
func (s *Store) DeleteComment(ctx context.Context, c blog.DeleteComment) (blog.Count, error) {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.Count{}, err
	}
	defer end()
	leave, err := s.truths.Comments.Enter(c.Key.Post)
	if err != nil {
		return blog.Count{}, err
	}
	defer leave()
	before, err := s.readComment(ctx, c.Actor, &c.Role, c.Key)
	deletion := commentDeletion{commentBefore: before, store: s, now: counted.Outcome{Header: before.header}}
	if err == nil {
		err = c.Allowed(before.comment.Comment, before.post)
	} else if blog.IsNotFound(err) && before.comment.Deleted() && before.post.ID == c.Key.Post && cql.Concurrently(deletion.reads(ctx)...) == nil {
		_ = s.again(ctx, before.comment.By, func(journal.Intent) effects { return deletion.follow() })
	}
	if err != nil {
		return blog.Count{}, err
	}
	if err := s.run(ctx, s.fresh(), &deletion); err != nil {
		return blog.Count{}, postGoneIsCommentGone(err)
	}
	return deletion.now.OwnCount(), nil
}

// commentDeletion is one DeleteComment under way.
type commentDeletion struct {
	commentBefore
	store  *Store
	author blog.Name // of the comment
	now    counted.Outcome

	erasing bool // the author's account is gone
}

func (d *commentDeletion) intent() journal.Intent {
	return d.commentBefore.intent(journal.DeleteComment)
}

// reads reads the author's name, above whose stamp the rows go, unless that is the actor's.
func (d *commentDeletion) reads(ctx context.Context) []func() error {
	author := d.comment.Author.ID
	if d.author = d.actor; author == d.actor.User && !d.erasing {
		return nil
	}
	return []func() error{func() (err error) { d.author, err = d.store.authorName(ctx, author); return err }}
}

func (d *commentDeletion) apply(ctx context.Context, note *journal.Note) (err error) {
	removing, history := removeComment(d.comment, note.Command)
	removing.Seen, removing.Before = d.header, note.Before(history, nil)
	d.now, err = d.store.truths.Comments.Commit(ctx, d.comment.Post, removing)
	return err
}

func (d *commentDeletion) follow() effects {
	stamp := blog.DeletionStamp(d.store.clock, d.now.Stamp, d.author.Stamp)
	v := d.store.follow.ofComment(blog.CommentState{Ref: d.post, Comment: d.comment.Comment, Count: d.now.Count(), Gone: stamp}, blog.Name{})
	v.dead = []gap.Key{gap.CommentKey(d.comment.Key())}
	return v
}

// removeComment returns the change that takes a comment away, and the comment's history as the change goes by it.
func removeComment(comment truth.Comment, command blog.CommandID) (c counted.Change[truth.Comment], history func() truth.History) {
	key, version, by, bytes := comment.Key(), comment.Version, comment.By, len(comment.Content)
	history = func() truth.History { return by }
	return counted.Change[truth.Comment]{
		Row:   key.Comment.UUID,
		Delta: -1,
		Bytes: func() int { return -bytes },
		Entries: func(counted.Header) []cql.Bound {
			return []cql.Bound{deleteComment.With(by.With(command), cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID), version)}
		},
		Reread: func(now truth.Comment, maybe bool) (gone bool, err error) {
			if !now.Stands() {
				if maybe && now.By.Has(command) {
					return true, nil
				}
				return false, blog.ErrNoComment()
			}
			version, by, bytes = now.Version, now.By, len(now.Content)
			return false, nil
		},
	}, history
}
