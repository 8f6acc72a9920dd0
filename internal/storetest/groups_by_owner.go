package storetest

import (
	"broadsheet/blog"
)

var groupsByOwner = []leaf{
	{"a user's own are the newest first, and bounded", func(f *fixture) {
		owner := f.user()
		var made []blog.Group
		for range blog.MaxOwnGroups {
			g := f.createGroup(blog.CreateGroup{Owner: owner.ID, Name: f.name(), Title: "A title", Description: ptr("What it is about.")})
			g.Stamp = 0
			made = append([]blog.Group{g}, made...)
		}
		own := f.groupsOf(owner)
		for i := range own {
			own[i].Stamp = 0
		}
		equal(f, "groups", own, made)
		c := blog.CreateGroup{Owner: owner.ID, Name: f.name(), Title: "One more"}
		_, err := f.store.CreateGroup(f.ctx, c)
		f.refused(err, blog.Invalid, "")
		f.deleteGroup(made[9])
		f.createGroup(c)
		equal(f, "groups of nobody", len(f.groupsOf(f.nobody())), 0)
	}},
}

// groupsOf returns the groups that a user made, newest first.
func (f *fixture) groupsOf(u blog.User) []blog.Group {
	f.Helper()
	groups, err := f.store.GroupsByOwner(f.ctx, u.ID)
	f.ok(err, "groups by owner")
	return groups
}
