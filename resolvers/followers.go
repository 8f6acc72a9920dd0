package resolvers

import (
	"context"
	"slices"
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
	page, err := blog.Found(u.store.FollowersByUser(ctx, obj.ID, blog.FirstPage[blog.ReactionPosition](1)))
	if page == nil {
		return 0, err
	}
	return page.Count.N, nil
}

// FollowingCount counts whom the user follows.
func (u user) FollowingCount(ctx context.Context, obj *blog.User) (int, error) {
	return u.store.FollowCount(ctx, obj.ID)
}

// ViewerFollows is answered for a whole page by one read; null without a viewer.
func (u user) ViewerFollows(ctx context.Context, obj *blog.User) (*bool, error) {
	if AskerOf(ctx).Subject == "" {
		return nil, nil
	}
	return scopeOf(ctx).reacted.load(ctx, blog.ReactionKey{Of: blog.Follows, To: obj.ID.UUID})
}

// Followers reads a page of who follows the user.
func (u user) Followers(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.UserConnection, error) {
	return u.connectUsers(ctx, relay.FollowersByUser(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, func(page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
		return u.store.FollowersByUser(ctx, obj.ID, page)
	}, func(r blog.Reaction) blog.Author { return r.User }, blog.Reaction.Position)
}

// Following reads a page of whom the user follows.
func (u user) Following(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.UserConnection, error) {
	return u.connectUsers(ctx, relay.FollowsByUser(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, func(page blog.PageRequest[blog.ReactionPosition]) (own blog.ReactionPage, err error) {
		if own.Page, err = u.store.FollowsByUser(ctx, obj.ID, page); err == nil && asks(ctx, "totalCount") {
			own.Count.N, err = u.store.FollowCount(ctx, obj.ID)
		}
		return own, err
	}, func(r blog.Reaction) blog.Author { return blog.Author{ID: blog.UserID(r.Followed)} }, blog.Reaction.OwnPosition)
}

// connectUsers is connect for the users at the other end of follows: none where the account is gone meanwhile.
func (u user) connectUsers(ctx context.Context, list relay.List[blog.ReactionPosition], a paging,
	read func(blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error), other func(blog.Reaction) blog.Author, at func(blog.Reaction) blog.ReactionPosition,
) (graph.UserConnection, error) {
	var users []blog.User
	found, err := blog.Found(connect(ctx, list, a, func(page blog.PageRequest[blog.ReactionPosition]) (rows blog.ReactionPage, err error) {
		if rows, err = read(page); err == nil {
			users, err = u.usersOf(ctx, keysOf(rows.Items, other))
		}
		return rows, err
	}, func(ctx context.Context, list relay.List[blog.ReactionPosition], page blog.ReactionPage) graph.UserConnection {
		i := -1
		edges, info := connected(ctx, list, page.Page, at, func(cursor string, _ blog.Reaction) graph.UserEdge {
			i++
			return graph.UserEdge{Cursor: cursor, Node: users[i]}
		})
		edges = slices.DeleteFunc(edges, func(e graph.UserEdge) bool { return e.Node.ID.IsZero() })
		return graph.UserConnection{Edges: edges, PageInfo: info, TotalCount: page.Count.N}
	}))
	if found == nil {
		return graph.UserConnection{}, err
	}
	return *found, nil
}

// usersOf returns the users that rows name, from the rows where those will do; zero where an account is gone.
func (u user) usersOf(ctx context.Context, held []blog.Author) (users []blog.User, err error) {
	of := fields(ctx, "edges", "node")
	aheadOfUsers(ctx, of, held, func(a blog.Author) blog.Author { return a })
	asked := needsOf(of)
	for _, a := range held {
		one, err := u.userAs(ctx, a, asked)
		if err != nil {
			return nil, err
		}
		if asked != (needs{}) && one.Username == "" { // its erasure has begun
			one = blog.User{}
		}
		users = append(users, one)
	}
	return users, nil
}
