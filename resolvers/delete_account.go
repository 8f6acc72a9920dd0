package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// DeleteAccount erases the viewer's own account.
func (m mutation) DeleteAccount(ctx context.Context, input graph.DeleteAccountInput) (payload graph.DeleteAccountPayload, err error) {
	payload.DeletedID, err = write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (string, error) {
		if err := m.store.DeleteAccount(ctx, blog.DeleteAccount{Actor: actor, User: actor, Username: input.Username}); err != nil {
			return "", err
		}
		m.viewerIs(ctx, nil)
		return relay.EncodeID(actor), nil
	})
	return payload, err
}
