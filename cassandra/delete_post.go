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
	command := s.newCommand()
	note, err := s.note(ctx, command, intent{Kind: kindDeletePost, Actor: c.Actor, Post: &c.Post})
	if err != nil {
		return err
	}
	stamp := blog.DeletionStamp(s.clock, now.Stamp)
	if err := s.markDeleted(ctx, note, now); err != nil {
		s.giveUp(ctx, attemptIDs{entry: note.entry}, err)
		return err
	}
	s.knownRefs.Remove(c.Post)
	// Where this fails, sweepPost does it.
	_ = cql.Insist(ctx, func(ctx context.Context) error { return s.closeCounted(ctx, c.Post) })
	s.publish(ctx, note.entry, views{
		copies: blog.CopiesOfPost(blog.PostState{Post: now.Post, Gone: stamp}),
		extra:  []cql.Bound{deletePostList.Deleting(stamp, cql.ID(c.Post.UUID))},
		rest:   func(ctx context.Context) error { return s.sweepPost(ctx, c.Post) },
	})
	return nil
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
