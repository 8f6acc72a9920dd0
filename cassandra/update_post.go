package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// UpdatePost edits a post under the guard of its version.
func (s *Store) UpdatePost(ctx context.Context, c blog.UpdatePost) (blog.Post, error) {
	if err := c.Validate(); err != nil {
		return blog.Post{}, err
	}
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.Post{}, err
	}
	defer end()
	var now postTruth
	var actor blog.Name
	err = cql.Concurrently(
		func() (err error) { actor, err = s.userName(ctx, c.Actor); return err },
		func() (err error) { now, err = s.postTruth(ctx, c.Post, s.db.One); return err },
	)
	if err != nil {
		return blog.Post{}, err
	}
	e := postEdit{store: s, input: c, edit: newEdit(s.newCommand(), blog.PostsByID, c.Post)}
	next, changed, err := e.run(ctx, now)
	if err != nil {
		if e.note != nil {
			s.giveUp(ctx, attemptIDs{entry: e.note.entry}, err)
		}
		return blog.Post{}, err
	}
	if changed {
		s.publish(ctx, e.note.entry, views{copies: blog.CopiesOfPost(blog.PostState{Post: next})})
	}
	next.Author = actor.Author()
	return next, nil
}

// postEdit is one UpdatePost under way.
type postEdit struct {
	edit
	store *Store
	input blog.UpdatePost
	note  *noted
}

// run brings the edit into the truth, and returns the post after it.
func (e *postEdit) run(ctx context.Context, now postTruth) (next blog.Post, changed bool, err error) {
	for {
		next, changed, err = e.decide(now.Post)
		if err != nil || !changed {
			return next, changed, err
		}
		if err := e.record(ctx); err != nil {
			return next, false, err
		}
		var applied bool
		if now, applied, err = e.write(ctx, now, next); err != nil || applied {
			return now.Post, applied, err
		}
	}
}

func (e *postEdit) decide(now blog.Post) (next blog.Post, changed bool, err error) {
	if now.Author.ID != e.input.Actor {
		return next, false, blog.ErrNotAuthor("post")
	}
	if err := blog.CheckVersion(e.input.ExpectedVersion, now.Version); err != nil {
		return next, false, err
	}
	next, changed = e.input.After(now, e.store.clock)
	return next, changed, nil
}

// record writes the intent, or keeps it.
func (e *postEdit) record(ctx context.Context) (err error) {
	if e.note != nil {
		return e.note.keep(ctx)
	}
	e.note, err = e.store.note(ctx, e.command, intent{Kind: kindUpdatePost, Actor: e.input.Actor, Post: &e.input.Post})
	return err
}

// write writes next under the guard of now's version and stamp. It returns the truth as
// of that or later, and whether the edit is in it; where it is not, it may be decided anew.
func (e *postEdit) write(ctx context.Context, now postTruth, next blog.Post) (postTruth, bool, error) {
	after := postTruth{Post: next}
	applied, err := e.attempt(ctx, e.store.db, now.guard(), updatePost.With(next.Title, next.Excerpt, next.Content, next.UpdatedAt,
		next.Version, next.Stamp, cql.ID(e.command.UUID), now.by.with(e.command), cql.ID(next.ID.UUID), now.Version, now.Stamp),
		func(ctx context.Context) (_ history, _ int, err error) {
			after, err = e.store.postTruth(ctx, next.ID, e.store.db.OneSerial)
			return after.by, after.Version, err
		})
	return after, applied, err
}
