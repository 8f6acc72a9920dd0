package storetest

import (
	"context"
	"maps"

	"broadsheet/blog"
)

// CreateGroup is a method of [blog.Commands].
func (m *Model) CreateGroup(_ context.Context, c blog.CreateGroup) (blog.Group, error) {
	if err := c.Validate(); err != nil {
		return blog.Group{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.account(c.Owner); err != nil {
		return blog.Group{}, err
	}
	scope, input, keyed := c.Idempotency()
	id, err := m.once(scope, input, keyed, func() (blog.UUID, error) {
		g := c.Group(m.clock)
		if _, taken := m.groups[g.ID]; taken {
			return blog.UUID{}, blog.ErrTaken("name")
		}
		if err := blog.MayOwnMore(m.ownGroups(c.Owner)); err != nil {
			return blog.UUID{}, err
		}
		m.groups[g.ID] = g
		m.tell(blog.Change{Kind: blog.GroupCreated, Actor: c.Owner, Group: g.ID})
		return g.ID.UUID, nil
	})
	if err != nil {
		return blog.Group{}, err
	}
	g, err := m.group(blog.GroupID{UUID: id})
	if err != nil {
		err = blog.ErrGoneSince("group")
	}
	return g, err
}

// UpdateGroup is a method of [blog.Commands].
func (m *Model) UpdateGroup(_ context.Context, c blog.UpdateGroup) (blog.Group, error) {
	if err := c.Validate(); err != nil {
		return blog.Group{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.account(c.Actor); err != nil {
		return blog.Group{}, err
	}
	old, err := m.group(c.Group)
	if err != nil {
		return blog.Group{}, err
	}
	g, changed, err := c.Decide(old, m.clock)
	if err == nil && changed {
		m.groups[g.ID] = g
		m.tell(blog.Change{Kind: blog.GroupUpdated, Actor: c.Actor, Group: g.ID})
	}
	return g, err
}

// DeleteGroup is a method of [blog.Commands].
func (m *Model) DeleteGroup(_ context.Context, c blog.DeleteGroup) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	actor, err := m.account(c.Actor)
	if err != nil {
		return err
	}
	c.Role = c.Role.Of(actor.Moderator)
	g, err := m.group(c.Group)
	if err == nil {
		err = c.Allowed(g)
	}
	if err == nil {
		m.dropGroup(g, c.Actor)
	}
	return err
}

// dropGroup deletes a group, whose name stays taken.
func (m *Model) dropGroup(g blog.Group, by blog.UserID) {
	m.groups[g.ID] = g.Deleted(m.clock)
	m.tell(blog.Change{Kind: blog.GroupDeleted, Actor: by, Group: g.ID})
	maps.DeleteFunc(m.reactions, func(key blog.ReactionKey, _ modelReaction) bool { return key.To == g.ID.UUID })
}

func (m *Model) group(id blog.GroupID) (blog.Group, error) {
	g := m.groups[id]
	if g.Version == 0 {
		return blog.Group{}, blog.ErrNoGroup()
	}
	return g, nil
}

// GroupsByOwner is a method of [blog.Queries].
func (m *Model) GroupsByOwner(ctx context.Context, owner blog.UserID) ([]blog.Group, error) {
	defer m.query(ctx, blog.GroupsByOwner)()
	return m.ownGroups(owner), nil
}

func (m *Model) ownGroups(owner blog.UserID) (groups []blog.Group) {
	for _, g := range m.groups {
		if g.Owner == owner && g.Version > 0 {
			g.Stamp = 0
			groups = append(groups, g)
		}
	}
	blog.NewestGroups(groups)
	return groups
}

// GroupByID is a method of [blog.Queries].
func (m *Model) GroupByID(ctx context.Context, id blog.GroupID) (blog.Group, error) {
	defer m.query(ctx, blog.GroupsByID)()
	return m.group(id)
}
