package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// RestoreUser ends the suspension of an account, for a moderator.
func (m mutation) RestoreUser(ctx context.Context, input graph.RestoreUserInput) (payload graph.RestoreUserPayload, err error) {
	err = m.write(ctx, &payload.UserErrors, func(actor blog.UserID) error {
		id, err := inputID[blog.UserID]("id", input.ID)
		if err != nil {
			return err
		}
		changed, err := m.store.RestoreUser(ctx, blog.RestoreUser{Actor: actor, Role: AskerOf(ctx).Role, User: id})
		if err != nil {
			return err
		}
		payload.User = &changed
		return nil
	})
	return payload, err
}
