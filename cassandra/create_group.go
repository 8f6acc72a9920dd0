package cassandra

import (
	"context"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/journal"
)

// CreateGroup writes the group, whose id is made of its name: so another of the name finds it there.
func (s *Store) CreateGroup(ctx context.Context, c blog.CreateGroup) (blog.Group, error) {
	ctx, end, err := s.startCommand(ctx, c.Validate)
	if err != nil {
		return blog.Group{}, err
	}
	defer end()
	if _, err := s.truths.Users.Actor(ctx, c.Owner); err != nil {
		return blog.Group{}, err
	}
	return once(ctx, s, &groupCreation{CreateGroup: c, store: s})
}

type groupCreation struct {
	blog.CreateGroup
	store *Store
	ids   attemptIDs
	group blog.Group // as it stands, once it does
	actor blog.Name
	owned []blog.Group
}

func (c *groupCreation) draw() blog.UUID { return blog.GroupOf(c.Name).UUID }

func (c *groupCreation) create(ctx context.Context, ids attemptIDs) (blog.Group, error) {
	c.ids, c.group = ids, c.Group(c.store.clock)
	err := c.store.run(ctx, ids, c)
	return c.group, err
}

func (c *groupCreation) again(ctx context.Context, object blog.UUID) (blog.Group, error) {
	g, err := c.store.GroupByID(ctx, blog.GroupID{UUID: object})
	return g, goneSince("group", err)
}

func (c *groupCreation) intent() journal.Intent {
	return journal.Intent{Command: c.ids.command, Kind: journal.CreateGroup, Actor: c.Owner, About: journal.About{Group: &c.group.ID}}
}

func (c *groupCreation) reads(ctx context.Context) []func() error {
	return []func() error{
		func() (err error) { c.actor, err = c.store.truths.Users.Actor(ctx, c.Owner); return err },
		func() (err error) { c.owned, err = c.store.GroupsByOwner(ctx, c.Owner); return err },
	}
}

func (c *groupCreation) apply(ctx context.Context, note *journal.Note) (err error) {
	others := slices.DeleteFunc(c.owned, func(g blog.Group) bool { return g.ID == c.group.ID }) // that an earlier run has made
	if err := blog.MayOwnMore(others); err != nil {
		return err
	}
	c.group, err = c.store.truths.Groups.Insert(ctx, c.group, c.ids.command, note.Keep)
	return goneSince("group", err)
}

// follow looks at the owner once more after the reply: an erasure that ran beside may have walked past the new group.
func (c *groupCreation) follow() effects {
	return effects{copies: blog.CopiesOfGroup(c.group), afterReply: func(ctx context.Context) error { return c.store.unlessErased(ctx, c.Owner, c.group.ID) }}
}
