package resolvers

import (
	"context"
	"errors"

	"broadsheet/blog"
	"broadsheet/graph"
)

// UpdateGroup edits a group of the viewer's.
func (m mutation) UpdateGroup(ctx context.Context, input graph.UpdateGroupInput) (payload graph.UpdateGroupPayload, err error) {
	payload.Group, err = write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (blog.Group, error) {
		id, noID := inputID[blog.GroupID]("id", input.ID)
		version, noVersion := expected(input.ExpectedVersion)
		if err := errors.Join(noID, noVersion); err != nil {
			return blog.Group{}, err
		}
		return m.store.UpdateGroup(ctx, blog.UpdateGroup{
			Actor: actor, Group: id, Title: edit(input.Title), Description: edit(input.Description), ExpectedVersion: version,
		})
	})
	return payload, err
}
