package resolvers

import (
	"context"

	"broadsheet/blog"
)

// OwnGroups reads the groups that the user made.
func (u user) OwnGroups(ctx context.Context, obj *blog.User) ([]blog.Group, error) {
	groups, err := u.store.GroupsByOwner(ctx, obj.ID)
	aheadOfGroups(ctx, fields(ctx), groups)
	return append([]blog.Group{}, groups...), err
}
