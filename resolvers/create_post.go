package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// CreatePost publishes a post.
func (m mutation) CreatePost(ctx context.Context, input blog.CreatePost) (payload graph.CreatePostPayload, err error) {
	err = m.write(ctx, &payload.UserErrors, func(actor blog.UserID) error {
		input.Author = actor
		created, err := m.store.CreatePost(ctx, input)
		if err != nil {
			return err
		}
		wroteAs(ctx, created.Author)
		edge := postEdge(relay.Feed(blog.NewestFirst).Cursor(created.ID), created)
		payload.Post, payload.PostEdge = &created, &edge
		return nil
	})
	return payload, err
}
