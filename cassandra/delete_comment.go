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

// What it takes away it makes empty, not null: a null is a tombstone, of which readers can pass so many and no more.
var deleteComment = cql.On(blog.CommentsByPost,
	`UPDATE comments_by_post SET `+tables.Comments.Emptied+`, recent_commands = ?`+
		` WHERE post_id = ? AND bucket = 0 AND comment_id = ? IF edits = ?`)

// DeleteComment takes the comment's text away and lowers the post's count in one conditional batch, then takes it off
// its author's list. The row stays, dead: a client that lost the answer to its creation, or comes with its idempotency
// key, must not create it again.
func (s *Store) DeleteComment(ctx context.Context, c blog.DeleteComment) (blog.Count, error) {
	ctx, end, err := s.startOn(ctx, s.truths.Comments, c.Key.Post.UUID)
	if err != nil {
		return blog.Count{}, err
	}
	defer end()
	before, err := s.readComment(ctx, journal.DeleteComment, c.Actor, &c.Role, c.Key)
	deletion := commentDeletion{commentBefore: before, store: s, now: counted.Outcome{Header: before.header}}
	if err == nil {
		err = s.unlessModerated(ctx, c.Allowed(before.comment.Comment, before.post), c.Actor, before.post)
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

type commentDeletion struct {
	commentBefore
	store  *Store
	author blog.Name // of the comment
	now    counted.Outcome

	command blog.CommandID
	erasing bool // the author's account is gone
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
	d.command = note.Command
	d.now, err = d.store.truths.Comments.Commit(ctx, d.comment.Post.UUID, counted.Change[truth.Comment]{
		Row: d.comment.ID.UUID, Delta: -1, Seen: d.header, Before: note.Before(&d.comment.By, nil),
		Bytes: d.grows, Entries: d.entries, Reread: d.reread,
	})
	return err
}

func (d *commentDeletion) follow() effects {
	stamp := blog.DeletionStamp(d.store.clock, d.now.Stamp, d.author.Stamp)
	v := ofGoneComment(d.comment.Comment, stamp, blog.CopiesOfCount(blog.CommentsByPost, d.post, d.now.Count()))
	v.dead = []gap.Key{gap.CommentKey(d.comment.Key())}
	return v
}

func (d *commentDeletion) grows() int { return -len(d.comment.Content) }

func (d *commentDeletion) entries(counted.Header) []cql.Bound {
	key, by := d.comment.Key(), d.comment.By.With(d.command)
	return []cql.Bound{deleteComment.With(by, cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID), d.comment.Version)}
}

func (d *commentDeletion) reread(now truth.Comment, maybe bool) (gone bool, err error) {
	if !now.Stands() {
		if maybe && now.By.Has(d.command) {
			return true, nil
		}
		return false, blog.ErrNoComment()
	}
	d.comment.Version, d.comment.By, d.comment.Content = now.Version, now.By, now.Content
	return false, nil
}
