package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// CreateComment comments on a post.
func (m mutation) CreateComment(ctx context.Context, input graph.CreateCommentInput) (payload graph.CreateCommentPayload, err error) {
	payload.Comment, err = on(ctx, m, &payload.UserErrors, "postId", input.PostID, func(actor blog.UserID, id blog.PostID) (blog.Comment, error) {
		command := blog.CreateComment{
			Author:         actor,
			Post:           id,
			Content:        input.Content,
			IdempotencyKey: input.IdempotencyKey.Value(),
		}
		if parent := input.ParentID.Value(); parent != nil {
			var err error
			if command.Parent, err = inputID[blog.CommentKey]("parentId", *parent); err != nil {
				return blog.Comment{}, err
			}
		}
		created, count, err := m.store.CreateComment(ctx, command)
		if err != nil {
			return created, err
		}
		wroteAs(ctx, created.Author)
		edge := commentEdge(relay.CommentsByPost(id, blog.NewestFirst).Cursor(created.ID), created)
		payload.CommentEdge, payload.Known = &edge, blog.Post{ID: id, Comments: count}
		return created, nil
	})
	return payload, err
}
