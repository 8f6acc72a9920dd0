package embedded

import (
	"context"

	"broadsheet/blog"
)

// Members is a method of [blog.Floor].
func (s *Store) Members(ctx context.Context, group blog.GroupID, shard int, page blog.PageRequest[blog.UserID]) (blog.Page[blog.Reaction], error) {
	members, err := list[blog.UserID, blog.Reaction]{reactionLists[blog.MembersByGroup], []any{group, shard}, nil}.page(ctx, s, page)
	for i := range members.Items {
		members.Items[i].Stands = true
	}
	return members, err
}
