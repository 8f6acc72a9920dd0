package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// Feed reads a page of all posts.
func (q query) Feed(ctx context.Context, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.PostConnection, error) {
	return q.connectPosts(ctx, relay.Feed(order), paging{first, after, last, before, order, createdFrom, createdTo}, func(page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
		return q.store.Feed(ctx, page)
	})
}
