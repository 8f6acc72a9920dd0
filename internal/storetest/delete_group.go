package storetest

import (
	"context"

	"broadsheet/blog"
)

var deleteGroup = []leaf{
	{"who deletes it, and its members go with it", func(f *fixture) {
		users := f.users(3)
		g := f.createGroup(blog.CreateGroup{Owner: users[0].ID, Name: f.name(), Title: "A title"})
		for _, u := range users[1:] {
			f.join(u, g)
		}
		equal(f, "members", f.members(g), []blog.UserID{users[2].ID, users[1].ID})
		f.refused(f.store.DeleteGroup(f.ctx, blog.DeleteGroup{Actor: users[1].ID, Group: g.ID}), blog.Forbidden, "")
		f.ok(f.store.DeleteGroup(f.ctx, blog.DeleteGroup{Actor: users[1].ID, Role: blog.Moderator, Group: g.ID}), "delete as a moderator")
		f.refused(f.store.DeleteGroup(f.ctx, blog.DeleteGroup{Actor: users[0].ID, Group: g.ID}), blog.NotFound, "id")
		_, _, err := f.store.JoinGroup(f.ctx, blog.JoinGroup{Actor: users[0].ID, Group: g.ID})
		f.refused(err, blog.NotFound, "groupId")
		f.settle()
		page, err := f.store.GroupsByUser(f.ctx, users[1].ID, blog.FirstPage[blog.ReactionPosition](20))
		f.ok(err, "groups of a member")
		equal(f, "groups of a member", len(page.Items), 0)
	}},
	{"the groups of an erased account go with it, and it leaves those of others", func(f *fixture) {
		gone, stays := f.user(), f.user()
		own := f.createGroup(blog.CreateGroup{Owner: gone.ID, Name: f.name(), Title: "A title"})
		other := f.createGroup(blog.CreateGroup{Owner: stays.ID, Name: f.name(), Title: "A title"})
		for _, u := range []blog.User{gone, stays} {
			f.join(u, own)
			f.join(u, other)
		}
		f.deleteAccount(gone)
		f.settle()
		_, err := f.store.GroupByID(f.ctx, own.ID)
		f.notFound(err, "its group")
		equal(f, "members of the other", f.members(other), []blog.UserID{stays.ID})
		page, err := f.store.GroupsByUser(f.ctx, stays.ID, blog.FirstPage[blog.ReactionPosition](20))
		f.ok(err, "groups of a member")
		equal(f, "groups of a member", len(page.Items), 1)
		_, err = f.store.CreateGroup(f.ctx, blog.CreateGroup{Owner: stays.ID, Name: own.Name, Title: "A title"})
		f.refused(err, blog.Taken, "name")
	}},
}

func (f *fixture) deleteGroup(g blog.Group) {
	f.Helper()
	f.clock.Advance(tick)
	f.ok(f.store.DeleteGroup(f.ctx, blog.DeleteGroup{Actor: g.Owner, Group: g.ID}), "delete group")
}

func (c *checked) DeleteGroup(ctx context.Context, x blog.DeleteGroup) error {
	err := c.Store.DeleteGroup(ctx, x)
	c.command("DeleteGroup", err, blog.NotFound)
	return err
}

func (f *fixture) join(u blog.User, g blog.Group) {
	f.Helper()
	f.clock.Advance(tick)
	_, _, err := f.store.JoinGroup(f.ctx, blog.JoinGroup{Actor: u.ID, Group: g.ID})
	f.ok(err, "join")
}

// members returns who is in a group, newest first, and checks their count.
func (f *fixture) members(g blog.Group) []blog.UserID {
	f.Helper()
	page, err := f.store.NewestMembersByGroup(f.ctx, g.ID, blog.FirstPage[blog.ReactionPosition](20))
	f.ok(err, "members")
	equal(f, "their count", page.Count.N, len(page.Items))
	return keysOf(page.Items, func(r blog.Reaction) blog.UserID { return r.User.ID })
}
