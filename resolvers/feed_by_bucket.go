package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// Feed reads a page of all posts.
func (q query) Feed(ctx context.Context, first *int, after *string, last *int, before *string) (graph.PostConnection, error) {
	return q.connectPosts(ctx, relay.Feed(), first, after, last, before, func(page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
		return q.store.Feed(ctx, page)
	})
}
