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

var members = []leaf{
	{"a member of many groups is renamed in each, and erased from each", func(f *fixture) {
		u, stays := f.user(), f.user()
		groups := make([]blog.Group, SoakTimes(f, 20)) // in a soak 200; one owns at most 100
		var owner blog.User
		for i := range groups {
			if i%100 == 0 {
				owner = f.user()
			}
			groups[i] = f.createGroup(blog.CreateGroup{Owner: owner.ID, Name: f.name(), Title: "A group"})
			f.join(u, groups[i])
			f.join(stays, groups[i])
		}
		u = f.rename(u, f.name())
		f.settle()
		for _, g := range groups {
			equal(f, "names", f.namesOf(g), [2][]blog.Author{{stays.Name().Author(), u.Name().Author()}, {stays.Name().Author(), u.Name().Author()}})
		}
		f.deleteAccount(u)
		f.settle()
		for _, g := range groups {
			equal(f, "names", f.namesOf(g), [2][]blog.Author{{stays.Name().Author()}, {stays.Name().Author()}})
			equal(f, "members", f.members(g), []blog.UserID{stays.ID})
		}
	}},
}

// namesOf returns the names of a group's members, by both lists.
func (f *fixture) namesOf(g blog.Group) (names [2][]blog.Author) {
	f.Helper()
	name := func(r blog.Reaction) blog.Author { return r.User }
	byID, err := f.store.MembersByGroup(f.ctx, g.ID, blog.FirstPage[blog.UserID](20))
	f.ok(err, "members")
	newest, err := f.store.NewestMembersByGroup(f.ctx, g.ID, blog.FirstPage[blog.ReactionPosition](20))
	f.ok(err, "newest members")
	return [2][]blog.Author{keysOf(byID.Items, name), keysOf(newest.Items, name)}
}

// Members is a method of [blog.Floor].
func (m *Model) Members(ctx context.Context, group blog.GroupID, shard int, page blog.PageRequest[blog.UserID]) (blog.Page[blog.Reaction], error) {
	defer m.query(ctx, blog.MembersByGroup)()
	rows := m.listReactions(func(key blog.ReactionKey) bool {
		return key.Of == blog.Members && key.To == group.UUID && blog.MemberShard(key.User) == shard
	})
	return pageOf(rows, membersByGroup.rows.key, membersByGroup.rows.newest, page), nil
}
