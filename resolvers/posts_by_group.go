package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// Posts reads a page of the posts that were published in the group: none where it is gone meanwhile.
func (g group) Posts(ctx context.Context, obj *blog.Group, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.PostConnection, error) {
	posts, err := g.connectPosts(ctx, relay.PostsByGroup(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, func(page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
		return g.store.PostsByGroup(ctx, obj.ID, page)
	})
	if blog.IsNotFound(err) {
		err = nil
	}
	return posts, err
}

// Group reads the group that the post was published in.
func (p post) Group(ctx context.Context, obj *blog.Post) (*blog.Group, error) {
	if obj.Group.IsZero() {
		return nil, nil
	}
	return p.group(ctx, obj.Group)
}
