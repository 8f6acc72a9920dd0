package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// UpdatePost edits a post under the guard of its version.
func (s *Store) UpdatePost(ctx context.Context, c blog.UpdatePost) (blog.Post, error) {
	ctx, end, err := s.startValid(ctx, c.Validate)
	if err != nil {
		return blog.Post{}, err
	}
	defer end()
	var now truth.Post
	var actor blog.Name
	err = cql.Concurrently(
		func() (err error) { actor, err = s.truths.Users.Actor(ctx, c.Actor); return err },
		func() (err error) { now, err = s.truths.Posts.Read(ctx, c.Post, s.db.One); return err },
	)
	if err != nil {
		return blog.Post{}, err
	}
	ids := s.fresh()
	e := postEdit{store: s, input: c, post: now, Edit: truth.NewEdit(ids.command, blog.PostsByID, c.Post)}
	if err = e.decide(); err == nil && e.changed {
		err = s.run(ctx, ids, &e)
	}
	if err != nil {
		return blog.Post{}, err
	}
	e.next.Author = actor.Author()
	return e.next, nil
}

// postEdit is one UpdatePost under way.
type postEdit struct {
	truth.Edit
	store   *Store
	input   blog.UpdatePost
	post    truth.Post // as it was read last
	next    blog.Post  // what the edit makes of it; then the post as it stands
	changed bool       // next is another than post
}

func (e *postEdit) intent() journal.Intent {
	return journal.Intent{Kind: journal.UpdatePost, Actor: e.input.Actor, Post: &e.input.Post}
}

func (e *postEdit) reads(context.Context) []func() error { return nil }

// apply brings the edit into the truth, unless another made the same one meanwhile.
func (e *postEdit) apply(ctx context.Context, note *journal.Note) error {
	for e.changed {
		if err := note.Keep(ctx); err != nil {
			return err
		}
		applied, err := e.write(ctx)
		if err != nil {
			return err
		}
		if applied {
			e.next = e.post.Post
			return nil
		}
		if err := e.decide(); err != nil {
			return err
		}
	}
	return nil
}

func (e *postEdit) follow() effects {
	if !e.changed {
		return effects{untold: true}
	}
	return effects{copies: blog.CopiesOfPost(blog.PostState{Post: e.next})}
}

// decide makes next of the post.
func (e *postEdit) decide() error {
	if e.post.Author.ID != e.input.Actor {
		return blog.ErrNotAuthor("post")
	}
	if err := blog.CheckVersion(e.input.ExpectedVersion, e.post.Version); err != nil {
		return err
	}
	e.next, e.changed = e.input.After(e.post.Post, e.store.clock)
	return nil
}

// write writes next under the guard of the post's version and stamp, and reports whether
// the edit is in the truth, which post is then, or later. Where it is not, it may be decided
// anew.
func (e *postEdit) write(ctx context.Context) (applied bool, err error) {
	under, next := e.post, e.next
	e.post = truth.Post{Post: next}
	return e.Attempt(ctx, e.store.db, under.Guard(), under.Update(next, e.Command),
		func(ctx context.Context) (_ truth.History, _ int, err error) {
			e.post, err = e.store.truths.Posts.Read(ctx, next.ID, e.store.db.OneSerial)
			return e.post.By, e.post.Version, err
		})
}
