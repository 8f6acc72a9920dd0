package storetest

import (
	"context"

	"broadsheet/blog"
)

var updateGroup = []leaf{
	{"its owner alone edits it", func(f *fixture) {
		users := f.users(2)
		g := f.createGroup(blog.CreateGroup{Owner: users[0].ID, Name: f.name(), Title: "A title", Description: ptr("What it is about.")})
		edit := blog.UpdateGroup{Actor: users[0].ID, Group: g.ID, Title: blog.SetTo("Another"), Description: blog.Clear(), ExpectedVersion: ptr(1)}
		edited := f.updateGroup(edit)
		equal(f, "texts, version", []any{edited.Name, edited.Title, edited.Description == nil, edited.Version}, []any{g.Name, "Another", true, 2})
		equal(f, "group", f.group(g.ID), edited)
		equal(f, "titles of its owner's", []string{f.groupsOf(users[0])[0].Title}, []string{"Another"})
		_, err := f.store.UpdateGroup(f.ctx, edit)
		f.refused(err, blog.VersionConflict, "expectedVersion")
		edit.ExpectedVersion = nil
		equal(f, "group after an edit that changes nothing", f.updateGroup(edit), edited)
		edit.Actor, edit.Title = users[1].ID, blog.SetTo("A third")
		_, err = f.store.UpdateGroup(f.ctx, edit)
		f.refused(err, blog.Forbidden, "")
		edit.Group = blog.GroupOf(f.name())
		_, err = f.store.UpdateGroup(f.ctx, edit)
		f.refused(err, blog.NotFound, "id")
		equal(f, "group", f.group(g.ID), edited)
	}},
}

func (f *fixture) updateGroup(c blog.UpdateGroup) blog.Group {
	f.Helper()
	f.clock.Advance(tick)
	g, err := f.store.UpdateGroup(f.ctx, c)
	f.ok(err, "update group")
	return g
}

func (c *checked) UpdateGroup(ctx context.Context, x blog.UpdateGroup) (blog.Group, error) {
	g, err := c.Store.UpdateGroup(ctx, x)
	c.command("UpdateGroup", err, blog.NotFound, blog.VersionConflict)
	return g, err
}
