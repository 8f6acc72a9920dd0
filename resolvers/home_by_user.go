package resolvers

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// Home reads a page of the posts of those whom the viewer follows; null without an account.
func (q query) Home(ctx context.Context, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (*graph.PostConnection, error) {
	viewer, known, err := q.viewerID(ctx)
	if err != nil || !known {
		return nil, err
	}
	post := func(h blog.Homed) blog.PostID { return h.Post }
	return blog.Found(connectPostsOf(ctx, q.Resolver, relay.HomeByUser(viewer, order), paging{first, after, last, before, order, createdFrom, createdTo}, post, post, func(page blog.PageRequest[blog.PostID]) (blog.Page[blog.Homed], error) {
		return q.followedAtHome(ctx, viewer, page) // NotFound: the account is gone meanwhile
	}))
}

const (
	// homeReads is how often a page of a home is read on, in place of posts of those whom the viewer follows no more. A
	// page may be short then, and goes on behind them.
	homeReads = 5

	// leastAtHome is how many rows are read on at least.
	leastAtHome = 20
)

// followedAtHome reads a page of a home, without the posts of those whom its user follows no more.
func (r *Resolver) followedAtHome(ctx context.Context, user blog.UserID, asked blog.PageRequest[blog.PostID]) (page blog.Page[blog.Homed], err error) {
	request := asked
	for reads := range homeReads {
		part, err := r.store.HomeByUser(ctx, user, request)
		if err != nil {
			return page, err
		}
		if reads == 0 {
			page.HasNext, page.HasPrevious = part.HasNext, part.HasPrevious
		}
		kept, err := r.followed(ctx, user, part.Items)
		if err != nil {
			return page, err
		}
		more, rest := part.HasNext, asked.Limit-len(page.Items)
		if asked.Backward {
			more = part.HasPrevious
		}
		if more = more || len(kept) > rest; len(kept) > rest {
			kept = cut(kept, rest, asked.Backward)
		}
		if asked.Backward {
			page.Items, page.HasPrevious = append(kept, page.Items...), more
		} else {
			page.Items, page.HasNext = append(page.Items, kept...), more
		}
		if !more || len(page.Items) == asked.Limit || len(part.Items) == 0 {
			break
		}
		request.Limit = max(asked.Limit-len(page.Items), leastAtHome)
		if asked.Backward {
			request.Before = &part.Items[0].Post
			page.Ends = request.Before.UUID
		} else {
			request.After = &part.Items[len(part.Items)-1].Post
			page.Ends = request.After.UUID
		}
	}
	return page, nil
}

// cut leaves so many rows, those nearest to where a page begins.
func cut[T any](rows []T, n int, backward bool) []T {
	if backward {
		return rows[len(rows)-n:]
	}
	return rows[:n]
}

// followed returns the rows of those whom a user follows.
func (r *Resolver) followed(ctx context.Context, user blog.UserID, rows []blog.Homed) (kept []blog.Homed, err error) {
	authors := keysOf(rows, func(h blog.Homed) blog.UUID { return h.Author.UUID })
	slices.SortFunc(authors, blog.UUID.Compare)
	if authors = slices.Compact(authors); len(authors) == 0 {
		return nil, nil
	}
	given, err := r.store.FollowedUsers(ctx, user, authors)
	for _, row := range rows {
		if _, follows := given[row.Author.UUID]; follows {
			kept = append(kept, row)
		}
	}
	return kept, err
}
