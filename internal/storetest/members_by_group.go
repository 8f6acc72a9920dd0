package storetest

import (
	"context"

	"broadsheet/blog"
)

var membersByGroup = listCase[blog.UserID, blog.Reaction]{blog.MembersByGroup, &rowCase[blog.UserID, blog.Reaction]{
	key:    func(r blog.Reaction) blog.UserID { return r.User.ID },
	newest: func(a, b blog.UserID) int { return b.Compare(a.UUID) },
	author: reactionRows.author, parent: reactionRows.parent, make: reactionRows.make, truth: reactionRows.truth, shown: reactionRows.shown,
	remove: reactionRows.remove, answer: reactionRows.answer,
	number: func(s *side, q numberedQuery, i int) blog.UserID { return s.user(q.positions[max(0, i)].user) },
}, func(ctx context.Context, q blog.Queries, a asked[blog.UserID]) (blog.Page[blog.Reaction], int, error) {
	page, err := q.MembersByGroup(ctx, blog.GroupID{UUID: a.to}, a.page)
	return page, 0, err
}}

// Members is a method of [blog.Floor].
func (m *Model) Members(ctx context.Context, group blog.GroupID, shard int, page blog.PageRequest[blog.UserID]) (blog.Page[blog.Reaction], error) {
	defer m.query(ctx, blog.MembersByGroup)()
	rows := m.listReactions(func(key blog.ReactionKey) bool {
		return key.Of == blog.Members && key.To == group.UUID && blog.MemberShard(key.User) == shard
	})
	return pageOf(rows, membersByGroup.rows.key, membersByGroup.rows.newest, page), nil
}
