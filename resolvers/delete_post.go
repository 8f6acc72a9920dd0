package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// DeletePost deletes a post of the viewer's, or as a moderator any.
func (m mutation) DeletePost(ctx context.Context, input graph.DeletePostInput) (payload graph.DeletePostPayload, err error) {
	err = m.write(ctx, &payload.UserErrors, func(actor blog.UserID) error {
		id, err := inputID[blog.PostID]("id", input.ID)
		if err != nil {
			return err
		}
		if err := m.store.DeletePost(ctx, blog.DeletePost{Actor: actor, Role: AskerOf(ctx).Role, Post: id}); err != nil {
			return err
		}
		payload.DeletedID = &input.ID
		return nil
	})
	return payload, err
}
