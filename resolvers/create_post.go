package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// CreatePost publishes a post.
func (m mutation) CreatePost(ctx context.Context, input graph.CreatePostInput) (payload graph.CreatePostPayload, err error) {
	payload.Post, err = write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (blog.Post, error) {
		group, err := publishedIn(input.GroupID.Value())
		if err != nil {
			return blog.Post{}, err
		}
		created, err := m.store.CreatePost(ctx, blog.CreatePost{
			Author: actor, Title: input.Title, Content: input.Content, Group: group, IdempotencyKey: input.IdempotencyKey.Value(),
		})
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

// publishedIn reads the id of a group, which may be absent.
func publishedIn(group *string) (blog.GroupID, error) {
	if group == nil {
		return blog.GroupID{}, nil
	}
	return inputID[blog.GroupID]("groupId", *group)
}
