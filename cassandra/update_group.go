package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// UpdateGroup edits a group under the guard of its version.
func (s *Store) UpdateGroup(ctx context.Context, c blog.UpdateGroup) (blog.Group, error) {
	ctx, end, err := s.startCommand(ctx, c.Validate)
	if err != nil {
		return blog.Group{}, err
	}
	defer end()
	var now truth.Group
	err = cql.Concurrently(
		func() error { _, err := s.truths.Users.Actor(ctx, c.Actor); return err },
		func() (err error) { now, err = s.truths.Groups.Read(ctx, c.Group, s.db.One); return err },
	)
	if err != nil {
		return blog.Group{}, err
	}
	ids, e := s.fresh(), groupEdit{input: c}
	e.GroupEdit, err = s.truths.Groups.Edit(ids.command, now.ID, now, func(g truth.Group) (blog.Group, bool, error) { return c.Decide(g.Group, s.clock) })
	if err == nil && e.Changed {
		err = s.run(ctx, ids, &e)
	}
	if err == nil && !e.Changed {
		err = s.again(ctx, e.Now.By, func(journal.Intent) effects { return e.follow() })
	}
	return e.Next, err
}

type groupEdit struct {
	truth.GroupEdit
	input blog.UpdateGroup
}

func (e *groupEdit) intent() journal.Intent {
	return journal.Intent{Kind: journal.UpdateGroup, Actor: e.input.Actor, About: journal.About{Group: &e.input.Group}}
}

func (e *groupEdit) apply(ctx context.Context, note *journal.Note) error {
	return e.Apply(ctx, func(ctx context.Context) error { return note.KeepBoth(ctx, e.Now.By) })
}

func (e *groupEdit) follow() effects {
	return effects{copies: blog.CopiesOfGroup(e.Next), untold: !e.Changed}
}
