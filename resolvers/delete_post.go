package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// DeletePost deletes a post of the viewer's, or as a moderator any.
func (m mutation) DeletePost(ctx context.Context, input graph.DeletePostInput) (payload graph.DeletePostPayload, err error) {
	payload.DeletedID, err = on(ctx, m, &payload.UserErrors, "id", input.ID, func(actor blog.UserID, id blog.PostID) (string, error) {
		return input.ID, m.store.DeletePost(ctx, blog.DeletePost{Actor: actor, Role: AskerOf(ctx).Role, Post: id})
	})
	return payload, err
}
