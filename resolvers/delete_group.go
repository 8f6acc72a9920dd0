package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// DeleteGroup deletes a group of the viewer's, or as a moderator any.
func (m mutation) DeleteGroup(ctx context.Context, input graph.DeleteGroupInput) (payload graph.DeleteGroupPayload, err error) {
	payload.DeletedID, err = on(ctx, m, &payload.UserErrors, "id", input.ID, func(actor blog.UserID, id blog.GroupID) (string, error) {
		return input.ID, m.store.DeleteGroup(ctx, blog.DeleteGroup{Actor: actor, Role: AskerOf(ctx).Role, Group: id})
	})
	return payload, err
}
