package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// DeletePost marks the post as deleted, closes its comments and likes so that none can come any more, and takes it off
// the lists. What stands below it goes after the reply; until then readers know by the closed partition that it is
// gone.
func (s *Store) DeletePost(ctx context.Context, c blog.DeletePost) error {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return err
	}
	defer end()
	var now truth.Post
	err = cql.Concurrently(
		func() error { _, err := s.truths.Users.ActorAs(ctx, c.Actor, &c.Role); return err },
		func() (err error) { now, err = s.truths.Posts.Read(ctx, c.Post, s.db.One); return err },
	)
	d := &postDeletion{store: s, actor: c.Actor, post: now, stamp: blog.DeletionStamp(s.clock, now.Stamp)}
	if err == nil {
		err = s.unlessModerated(ctx, c.Allowed(now.Ref()), c.Actor, now.Ref())
	} else if blog.IsNotFound(err) && now.Deleted {
		_ = s.again(ctx, now.By, func(journal.Intent) effects { return d.follow() })
	}
	if err != nil {
		return err
	}
	return s.run(ctx, s.fresh(), d)
}

type postDeletion struct {
	store *Store
	actor blog.UserID
	post  truth.Post
	stamp int64 // of the deletions of its rows
}

func (d *postDeletion) intent() journal.Intent {
	return journal.Intent{Kind: journal.DeletePost, Actor: d.actor, About: journal.About{Post: &d.post.ID}}
}

func (d *postDeletion) apply(ctx context.Context, note *journal.Note) error {
	if err := d.store.truths.Posts.Delete(ctx, d.post, note.Command, note.Keep); err != nil {
		return err
	}
	d.store.truths.Posts.Forget(d.post.ID)
	// Where this fails, the sweep does it.
	_ = cql.Insist(ctx, func(ctx context.Context) error { return d.store.truths.Close(ctx, blog.AboutPost, d.post.ID.UUID) })
	return nil
}

func (d *postDeletion) follow() effects {
	copies, below := cascade.OffLists(d.post.Post, d.stamp)
	return effects{
		copies: copies, extra: below,
		afterReply: func(ctx context.Context) error { return d.store.sweeps.Post(ctx, d.post.ID) },
	}
}
