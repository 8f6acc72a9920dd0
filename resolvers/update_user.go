package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// UpdateUser edits the viewer's account.
func (m mutation) UpdateUser(ctx context.Context, input graph.UpdateUserInput) (payload graph.UpdateUserPayload, err error) {
	payload.User, err = write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (blog.User, error) {
		version, err := expected(input.ExpectedVersion)
		if err != nil {
			return blog.User{}, err
		}
		updated, err := m.store.UpdateUser(ctx, blog.UpdateUser{
			Actor:           actor,
			Username:        edit(input.Username),
			Email:           edit(input.Email),
			DisplayName:     edit(input.DisplayName),
			Bio:             edit(input.Bio),
			ExpectedVersion: version,
			ProvedEmail:     AskerOf(ctx).Email,
			RenameInterval:  m.config.RenameInterval,
		})
		if err == nil {
			m.viewerIs(ctx, &updated)
			wroteAs(ctx, updated.Name().Author())
		}
		return updated, err
	})
	return payload, err
}
