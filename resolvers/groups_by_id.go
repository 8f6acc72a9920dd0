package resolvers

import (
	"context"

	"broadsheet/blog"
)

// Group reads a group by id or by name: its id is made of that.
func (q query) Group(ctx context.Context, id, name *string) (*blog.Group, error) {
	if err := exactlyOne("id", id, "name", name); err != nil {
		return nil, err
	}
	if name != nil {
		return q.group(ctx, blog.GroupOf(*name))
	}
	key, err := queryID[blog.GroupID]("id", *id)
	if err != nil {
		return nil, err
	}
	return q.group(ctx, key)
}

// group reads a group; nil where there is none.
func (r *Resolver) group(ctx context.Context, id blog.GroupID) (*blog.Group, error) {
	return blog.Found(scopeOf(ctx).groups.load(ctx, id))
}

// Owner reads the user who made the group.
func (g group) Owner(ctx context.Context, obj *blog.Group) (blog.User, error) {
	return g.userOf(ctx, blog.Author{ID: obj.Owner})
}
