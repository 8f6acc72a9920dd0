package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

var (
	selectDeletion = cql.On(blog.PostsByID, `SELECT version, stamp, deleted_at, command_id FROM posts_by_id WHERE post_id = ?`)
	deletePostList = cql.On(blog.LikesByPost, `DELETE FROM likes_by_post USING TIMESTAMP ? WHERE post_id = ? AND bucket = 0`)
)

// DeletePost marks the post as deleted, closes its comments and likes so that none
// can come any more, and takes it off the lists. The rows of its comments, and what
// its commenters and likers have on their own lists, go after the reply; until then
// readers of the comments know by the closed partition that they are gone.
func (s *Store) DeletePost(ctx context.Context, c blog.DeletePost) error {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return err
	}
	defer end()
	var now postTruth
	err = cql.Concurrently(
		func() error { _, err := s.userName(ctx, c.Actor); return err },
		func() (err error) { now, err = s.postTruth(ctx, c.Post, s.db.One); return err },
	)
	if err != nil {
		return err
	}
	if now.Author.ID != c.Actor {
		return blog.ErrNotAuthor("post")
	}
	return s.run(ctx, s.fresh(), &postDeletion{store: s, post: now, stamp: blog.DeletionStamp(s.clock, now.Stamp)})
}

// postDeletion is one DeletePost under way.
type postDeletion struct {
	store *Store
	post  postTruth
	stamp int64 // of the deletions of its rows
}

func (d *postDeletion) intent() intent {
	return intent{Kind: kindDeletePost, Actor: d.post.Author.ID, Post: &d.post.ID}
}

func (d *postDeletion) reads(context.Context) []func() error { return nil }

func (d *postDeletion) apply(ctx context.Context, note *noted) error {
	if err := d.store.markDeleted(ctx, note, d.post); err != nil {
		return err
	}
	d.store.knownRefs.Remove(d.post.ID)
	// Where this fails, sweepPost does it.
	_ = cql.Insist(ctx, func(ctx context.Context) error { return d.store.closeCounted(ctx, d.post.ID) })
	return nil
}

func (d *postDeletion) follow() effects {
	return effects{
		copies:     blog.CopiesOfPost(blog.PostState{Post: d.post.Post, Gone: d.stamp}),
		extra:      []cql.Bound{deletePostList.Deleting(d.stamp, cql.ID(d.post.ID.UUID))},
		afterReply: func(ctx context.Context) error { return d.store.sweepPost(ctx, d.post.ID) },
	}
}

// markDeleted is the linearization point. It returns NotFound where another
// command has deleted the post meanwhile.
func (s *Store) markDeleted(ctx context.Context, note *noted, now postTruth) error {
	command, others := note.in.Command, cql.Contest{Table: blog.PostsByID, Key: now.ID}
	for {
		if err := note.keep(ctx); err != nil {
			return err
		}
		went := now.guard()
		applied, _, err := s.db.CompareAndSet(ctx, deletePost.With(blog.Millisecond(s.clock.Now()), blog.NextStamp(s.clock, now.Stamp),
			cql.ID(command.UUID), cql.ID(now.ID.UUID), now.Version, now.Stamp))
		lost := err != nil
		if applied && err == nil {
			return nil
		}
		if err != nil && blog.KindOf(err) == blog.Internal {
			return err
		}
		deleted, by, err := s.deletion(ctx, &now)
		switch {
		case err != nil || deleted && by == command:
			return err
		case deleted:
			return blog.ErrNoPost("id")
		}
		if err := others.Again(ctx, went, lost); err != nil {
			return err
		}
	}
}

// deletion reads, at the serial consistency, whether a post is deleted, and by which
// command. It refreshes the version and the stamp of now.
func (s *Store) deletion(ctx context.Context, now *postTruth) (deleted bool, by blog.CommandID, err error) {
	var deletedAt time.Time
	err = cql.Insist(ctx, func(ctx context.Context) error {
		return s.db.OneSerial(ctx, selectDeletion.With(cql.ID(now.ID.UUID)), &now.Version, &now.Stamp, &deletedAt, cql.Into(&by.UUID))
	})
	return !deletedAt.IsZero(), by, err
}
