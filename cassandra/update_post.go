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
	e := postEdit{store: s, edit: c, command: s.newCommand(), others: cql.Contest{Table: blog.PostsByID, Key: c.Post}}
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
	store   *Store
	edit    blog.UpdatePost
	command blog.CommandID
	note    *noted
	unsure  int // the version that the first attempt whose answer was lost went by; 0: none
	others  cql.Contest
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
	if now.Author.ID != e.edit.Actor {
		return next, false, blog.ErrNotAuthor("post")
	}
	if err := blog.CheckVersion(e.edit.ExpectedVersion, now.Version); err != nil {
		return next, false, err
	}
	next, changed = e.edit.After(now, e.store.clock)
	return next, changed, nil
}

// record writes the intent, or keeps it.
func (e *postEdit) record(ctx context.Context) (err error) {
	if e.note != nil {
		return e.note.keep(ctx)
	}
	e.note, err = e.store.note(ctx, e.command, intent{Kind: kindUpdatePost, Actor: e.edit.Actor, Post: &e.edit.Post})
	return err
}

// write writes next under the guard of now's version and stamp. It returns the truth as
// of that or later, and whether the edit is in it. Where it is not, and the guard still
// holds, the edit may be tried again, for only one of two attempts under one guard can
// pass it. Once the guard holds no more, an attempt whose answer was lost is in the
// truth's history or will never be applied.
func (e *postEdit) write(ctx context.Context, now postTruth, next blog.Post) (postTruth, bool, error) {
	applied, _, err := e.store.db.CompareAndSet(ctx, updatePost.With(next.Title, next.Excerpt, next.Content, next.UpdatedAt,
		next.Version, next.Stamp, cql.ID(e.command.UUID), now.by.with(e.command), cql.ID(next.ID.UUID), now.Version, now.Stamp))
	if applied && err == nil {
		return postTruth{Post: next, by: history{last: e.command}}, true, nil
	}
	if err != nil && blog.KindOf(err) == blog.Internal {
		return now, false, err
	}
	if err != nil && e.unsure == 0 {
		e.unsure = now.Version
	}
	if err := e.others.Again(ctx, now.guard(), err != nil); err != nil {
		return now, false, err
	}
	err = cql.Insist(ctx, func(ctx context.Context) error {
		now, err = e.store.postTruth(ctx, next.ID, e.store.db.OneSerial)
		return err
	})
	switch {
	case err != nil || e.unsure == 0:
		return now, false, err
	case now.by.has(e.command):
		return now, true, nil
	case !now.by.tellsSince(e.unsure, now.Version):
		return now, false, errUnknown
	}
	return now, false, nil
}
