package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// CreateUser makes the account of the request's subject.
func (m mutation) CreateUser(ctx context.Context, input blog.CreateUser) (payload graph.CreateUserPayload, err error) {
	payload.User, err = writeAs(ctx, &payload.UserErrors, func(subject string) (blog.User, error) {
		input.Subject, input.ProvedEmail = subject, AskerOf(ctx).Email
		created, err := m.store.CreateUser(ctx, input)
		if err == nil {
			m.viewerIs(ctx, &created)
			wroteAs(ctx, created.Name().Author())
		}
		return created, err
	})
	return payload, err
}
