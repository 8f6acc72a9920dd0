package resolvers

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// UpdateGroup edits a group of the viewer's.
func (m mutation) UpdateGroup(ctx context.Context, input graph.UpdateGroupInput) (payload graph.UpdateGroupPayload, err error) {
	payload.Group, err = write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (blog.Group, error) {
		id, noID := inputID[blog.GroupID]("id", input.ID)
		version, noVersion := expected(input.ExpectedVersion)
		moderators, noModerators := m.moderators(ctx, input.ModeratorIds)
		if err := errors.Join(noID, noVersion, noModerators); err != nil {
			return blog.Group{}, err
		}
		return m.store.UpdateGroup(ctx, blog.UpdateGroup{
			Actor: actor, Group: id, Title: edit(input.Title), Description: edit(input.Description), Moderators: moderators, ExpectedVersion: version,
		})
	})
	return payload, err
}

// moderators reads the ids of users who are to moderate a group. Absent: they stay as they are; null: none.
func (m mutation) moderators(ctx context.Context, input graphql.Omittable[[]string]) (blog.Edit, error) {
	texts, set := input.ValueOK()
	if !set {
		return blog.Edit{}, nil
	}
	ids := make([]blog.UserID, len(texts))
	for i, text := range texts {
		id, err := inputID[blog.UserID]("moderatorIds", text)
		if err != nil {
			return blog.Edit{}, err
		}
		ids[i] = id
	}
	edit := blog.SetModerators(ids)
	if err := (blog.UpdateGroup{Moderators: edit}).Validate(); err != nil {
		return edit, err
	}
	users := &scopeOf(ctx).users
	users.start(ctx, ids...)
	for _, id := range ids {
		if _, err := users.load(ctx, id); blog.IsNotFound(err) {
			return edit, blog.FieldErrorf(blog.NotFound, "moderatorIds", "there is no user %s", relay.EncodeID(id))
		} else if err != nil {
			return edit, err
		}
	}
	return edit, nil
}

// Moderators reads who moderates the group beside its owner. Those whose accounts are gone are left out.
func (g group) Moderators(ctx context.Context, obj *blog.Group) ([]blog.User, error) {
	ids := obj.ModeratorIDs()
	scopeOf(ctx).users.start(ctx, ids...)
	moderators := []blog.User{}
	for _, id := range ids {
		u, err := scopeOf(ctx).users.load(ctx, id)
		if blog.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		moderators = append(moderators, u)
	}
	return moderators, nil
}
