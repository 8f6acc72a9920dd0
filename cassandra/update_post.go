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
	ctx, end, err := s.startCommand(ctx, c.Validate)
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
	e := postEdit{input: c}
	e.PostEdit, err = s.truths.Posts.Edit(ids.command, now.ID, now, func(p truth.Post) (next blog.Post, changed bool, err error) {
		if p.Author.ID != c.Actor {
			return next, false, blog.ErrNotAuthor("post")
		}
		if err := blog.CheckVersion(c.ExpectedVersion, p.Version); err != nil {
			return next, false, err
		}
		next, changed = c.After(p.Post, s.clock)
		return next, changed, nil
	})
	if err == nil && e.Changed {
		err = s.run(ctx, ids, &e)
	}
	if err == nil && !e.Changed {
		err = s.again(ctx, e.Now.By, func(journal.Intent) effects { return e.follow() })
	}
	e.Next.Author = actor.Author()
	return e.Next, err
}

type postEdit struct {
	truth.PostEdit
	input blog.UpdatePost
}

func (e *postEdit) intent() journal.Intent {
	return journal.Intent{Kind: journal.UpdatePost, Actor: e.input.Actor, About: journal.About{Post: &e.input.Post}}
}

func (e *postEdit) apply(ctx context.Context, note *journal.Note) error {
	return e.Apply(ctx, func(ctx context.Context) error { return note.KeepBoth(ctx, e.Now.By) })
}

func (e *postEdit) follow() effects {
	return effects{copies: blog.CopiesOfPost(e.Next), untold: !e.Changed}
}
