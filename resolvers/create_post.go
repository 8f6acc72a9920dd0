package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// CreatePost publishes a post.
func (m mutation) CreatePost(ctx context.Context, input blog.CreatePost) (payload graph.CreatePostPayload, err error) {
	payload.Post, err = write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (blog.Post, error) {
		input.Author = actor
		created, err := m.store.CreatePost(ctx, input)
		if err != nil {
			return created, err
		}
		wroteAs(ctx, created.Author)
		edge := postEdge(relay.Feed(blog.NewestFirst).Cursor(created.ID), created)
		payload.PostEdge = &edge
		return created, nil
	})
	return payload, err
}
