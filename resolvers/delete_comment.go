package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// DeleteComment deletes a comment of the viewer's, or below a post of the viewer's, or as a moderator
// any.
func (m mutation) DeleteComment(ctx context.Context, input graph.DeleteCommentInput) (payload graph.DeleteCommentPayload, err error) {
	payload.DeletedID, err = on(ctx, m, &payload.UserErrors, "id", input.ID, func(actor blog.UserID, key blog.CommentKey) (string, error) {
		count, err := m.store.DeleteComment(ctx, blog.DeleteComment{Actor: actor, Role: AskerOf(ctx).Role, Key: key})
		if err != nil {
			return "", err
		}
		payload.Known = blog.Post{ID: key.Post, Comments: count}
		return input.ID, nil
	})
	return payload, err
}
