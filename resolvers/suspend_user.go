package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// SuspendUser suspends an account, for a moderator.
func (m mutation) SuspendUser(ctx context.Context, input graph.SuspendUserInput) (payload graph.SuspendUserPayload, err error) {
	payload.User, err = on(ctx, m, &payload.UserErrors, "id", input.ID, func(actor, id blog.UserID) (blog.User, error) {
		return m.store.SuspendUser(ctx, blog.SuspendUser{Actor: actor, Role: AskerOf(ctx).Role, User: id})
	})
	return payload, err
}
