package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
)

// CreateGroup makes a group, and the viewer its member.
func (m mutation) CreateGroup(ctx context.Context, input blog.CreateGroup) (payload graph.CreateGroupPayload, err error) {
	payload.Group, err = write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (blog.Group, error) {
		input.Owner = actor
		made, err := m.store.CreateGroup(ctx, input)
		if err == nil {
			_, _, err = m.store.JoinGroup(ctx, blog.JoinGroup{Actor: actor, Group: made.ID})
		}
		return made, err
	})
	return payload, err
}
