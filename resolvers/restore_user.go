package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// RestoreUser ends the suspension of an account, for a moderator.
func (m mutation) RestoreUser(ctx context.Context, input graph.RestoreUserInput) (payload graph.RestoreUserPayload, err error) {
	payload.User, err = on(ctx, m, &payload.UserErrors, "id", input.ID, func(actor, id blog.UserID) (blog.User, error) {
		return m.store.RestoreUser(ctx, blog.RestoreUser{Actor: actor, Role: AskerOf(ctx).Role, User: id})
	})
	return payload, err
}
