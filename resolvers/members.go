package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// JoinGroup makes the viewer a member of a group.
func (m mutation) JoinGroup(ctx context.Context, input graph.JoinGroupInput) (payload graph.JoinGroupPayload, err error) {
	payload.Group, err = m.ofGroup(ctx, &payload.UserErrors, input.GroupID, func(c blog.JoinGroup) error {
		given, _, err := m.store.JoinGroup(ctx, c)
		if err == nil {
			wroteAs(ctx, given.User)
		}
		return err
	})
	return payload, err
}

// LeaveGroup takes the viewer out of a group.
func (m mutation) LeaveGroup(ctx context.Context, input graph.LeaveGroupInput) (payload graph.LeaveGroupPayload, err error) {
	payload.Group, err = m.ofGroup(ctx, &payload.UserErrors, input.GroupID, func(c blog.JoinGroup) error {
		_, err := m.store.LeaveGroup(ctx, blog.LeaveGroup(c))
		return err
	})
	return payload, err
}

// ofGroup returns the group that a command is about, read after it; nil where that is deleted meanwhile.
func (m mutation) ofGroup(ctx context.Context, userErrors *[]blog.Error, id string, command func(blog.JoinGroup) error) (*blog.Group, error) {
	key, err := on(ctx, m, userErrors, "groupId", id, func(actor blog.UserID, id blog.GroupID) (blog.GroupID, error) {
		return id, command(blog.JoinGroup{Actor: actor, Group: id})
	})
	if key == nil {
		return nil, err
	}
	return m.group(ctx, *key)
}

// MemberCount reads the count of the group's members.
func (g group) MemberCount(ctx context.Context, obj *blog.Group) (int, error) {
	return countOf(g.store.NewestMembersByGroup(ctx, obj.ID, blog.FirstPage[blog.ReactionPosition](1)))
}

// ViewerIsMember answers whether the viewer is in the group.
func (g group) ViewerIsMember(ctx context.Context, obj *blog.Group) (*bool, error) {
	return viewerReacted(ctx, blog.Members, obj.ID.UUID)
}

// NewestMembers reads a page of who is in the group.
func (g group) NewestMembers(ctx context.Context, obj *blog.Group, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.UserConnection, error) {
	return connectUsers(ctx, user(g), relay.NewestMembers(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, blog.Reaction.Position, func(page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
		return g.store.NewestMembersByGroup(ctx, obj.ID, page)
	}, func(r blog.Reaction) blog.Author { return r.User })
}

// Groups reads a page of the groups that the user is in: none where the account is gone meanwhile.
func (u user) Groups(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (groups graph.GroupConnection, err error) {
	groups.Edges, groups.PageInfo, err = connectEnds(ctx, relay.GroupsByUser(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, blog.Reaction.OwnPosition, func(page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error) {
		rows, err := u.store.GroupsByUser(ctx, obj.ID, page)
		scopeOf(ctx).groups.start(ctx, keysOf(rows.Items, func(r blog.Reaction) blog.GroupID { return r.Group })...)
		return rows, err
	}, func(r blog.Reaction) (*blog.Group, error) { return u.group(ctx, r.Group) }, func(cursor string, g blog.Group) graph.GroupEdge { return graph.GroupEdge{Cursor: cursor, Node: g} })
	if blog.IsNotFound(err) {
		return graph.GroupConnection{}, nil
	}
	aheadOfGroups(ctx, fields(ctx, "edges", "node"), keysOf(groups.Edges, func(e graph.GroupEdge) blog.Group { return e.Node }))
	return groups, err
}

// Members reads a page of who is in the group, by their ids.
func (g group) Members(ctx context.Context, obj *blog.Group, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.UserConnection, error) {
	return connectUsers(ctx, user(g), relay.MembersByGroup(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, func(r blog.Reaction) blog.UserID { return r.User.ID }, func(page blog.PageRequest[blog.UserID]) (members blog.ReactionPage, err error) {
		if members.Page, err = g.store.MembersByGroup(ctx, obj.ID, page); err == nil && asks(ctx, "totalCount") {
			members.Count.N, err = g.MemberCount(ctx, obj)
		}
		return members, err
	}, func(r blog.Reaction) blog.Author { return r.User })
}
