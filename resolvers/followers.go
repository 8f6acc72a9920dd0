package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// FollowUser has the viewer follow a user.
func (m mutation) FollowUser(ctx context.Context, input graph.FollowUserInput) (payload graph.FollowUserPayload, err error) {
	payload.User, err = m.follow(ctx, &payload.UserErrors, input.UserID, func(c blog.FollowUser) error {
		given, _, err := m.store.FollowUser(ctx, c)
		if err == nil {
			wroteAs(ctx, given.User)
		}
		return err
	})
	return payload, err
}

// UnfollowUser has the viewer follow a user no more.
func (m mutation) UnfollowUser(ctx context.Context, input graph.UnfollowUserInput) (payload graph.UnfollowUserPayload, err error) {
	payload.User, err = m.follow(ctx, &payload.UserErrors, input.UserID, func(c blog.FollowUser) error {
		_, err := m.store.UnfollowUser(ctx, blog.UnfollowUser(c))
		return err
	})
	return payload, err
}

// follow returns the user that a command is about, read after it; nil where the account is gone meanwhile.
func (m mutation) follow(ctx context.Context, userErrors *[]blog.Error, id string, command func(blog.FollowUser) error) (*blog.User, error) {
	key, err := on(ctx, m, userErrors, "userId", id, func(actor, id blog.UserID) (blog.UserID, error) {
		return id, command(blog.FollowUser{Actor: actor, User: id})
	})
	if key == nil {
		return nil, err
	}
	return blog.Found(m.user(ctx, *key))
}

// FollowerCount reads the count of the user's followers.
func (u user) FollowerCount(ctx context.Context, obj *blog.User) (int, error) {
	return countOf(u.store.FollowersByUser(ctx, obj.ID, blog.FirstPage[blog.ReactionPosition](1)))
}

// countOf returns the count that a page came with: 0 where what it is below is gone meanwhile.
func countOf(page blog.ReactionPage, err error) (int, error) {
	if blog.IsNotFound(err) {
		return 0, nil
	}
	return page.Count.N, err
}

// FollowingCount counts whom the user follows.
func (u user) FollowingCount(ctx context.Context, obj *blog.User) (int, error) {
	return u.store.FollowCount(ctx, obj.ID)
}

// ViewerFollows answers whether the viewer follows the user.
func (u user) ViewerFollows(ctx context.Context, obj *blog.User) (*bool, error) {
	return viewerReacted(ctx, blog.Follows, obj.ID.UUID)
}

// Followers reads a page of who follows the user.
func (u user) Followers(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.UserConnection, error) {
	return connectUsers(ctx, u, relay.FollowersByUser(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, blog.Reaction.Position, func(page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
		return u.store.FollowersByUser(ctx, obj.ID, page)
	}, func(r blog.Reaction) blog.Author { return r.User })
}

// Following reads a page of whom the user follows.
func (u user) Following(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.UserConnection, error) {
	return connectUsers(ctx, u, relay.FollowsByUser(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, blog.Reaction.OwnPosition, func(page blog.PageRequest[blog.ReactionPosition]) (own blog.ReactionPage, err error) {
		if own.Page, err = u.store.FollowsByUser(ctx, obj.ID, page); err == nil && asks(ctx, "totalCount") {
			own.Count.N, err = u.store.FollowCount(ctx, obj.ID)
		}
		return own, err
	}, func(r blog.Reaction) blog.Author { return blog.Author{ID: blog.UserID(r.Followed)} })
}

// connectUsers connects the users at the other ends of follows, or in a group: none where the account is gone meanwhile.
func connectUsers[P relay.Position](ctx context.Context, u user, list relay.List[P], a paging, at func(blog.Reaction) P,
	read func(blog.PageRequest[P]) (blog.ReactionPage, error), other func(blog.Reaction) blog.Author,
) (users graph.UserConnection, err error) {
	of := fields(ctx, "edges", "node")
	asked := needsOf(of)
	users.Edges, users.PageInfo, err = connectEnds(ctx, list, a, at, func(page blog.PageRequest[P]) (blog.Page[blog.Reaction], error) {
		rows, err := read(page)
		users.TotalCount = rows.Count.N
		aheadOfUsers(ctx, of, rows.Items, other)
		return rows.Page, err
	}, func(r blog.Reaction) (*blog.User, error) {
		one, err := u.userAs(ctx, other(r), asked)
		if asked != (needs{}) && one.Username == "" { // its erasure has begun
			return nil, err
		}
		return &one, err
	}, func(cursor string, one blog.User) graph.UserEdge { return graph.UserEdge{Cursor: cursor, Node: one} })
	if blog.IsNotFound(err) {
		return graph.UserConnection{}, nil
	}
	return users, err
}
