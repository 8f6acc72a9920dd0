package storetest

import (
	"context"
	"strings"

	"broadsheet/blog"
)

var createGroup = []leaf{
	{"a name is unique for ever, whatever the case", func(f *fixture) {
		users, name := f.users(2), f.name()
		g := f.createGroup(blog.CreateGroup{Owner: users[0].ID, Name: name, Title: "A title"})
		taken := func() {
			f.Helper()
			_, err := f.store.CreateGroup(f.ctx, blog.CreateGroup{Owner: users[1].ID, Name: strings.ToUpper(name), Title: "Another"})
			f.refused(err, blog.Taken, "name")
		}
		taken()
		equal(f, "group", f.group(g.ID), g)
		f.deleteGroup(g)
		taken()
		_, err := f.store.GroupByID(f.ctx, g.ID)
		f.notFound(err, "a deleted group")
		equal(f, "groups of its owner", len(f.groupsOf(users[0])), 0)
	}},
	{"two clients make one group of a name", func(f *fixture) {
		users, name := f.users(4), f.name()
		made := make([]error, len(users))
		f.atOnce(len(users), func(i int) error {
			_, made[i] = f.store.CreateGroup(f.ctx, blog.CreateGroup{Owner: users[i].ID, Name: name, Title: "A title"})
			return nil
		})
		owner := f.group(blog.GroupOf(name)).Owner
		for i, err := range made {
			if users[i].ID == owner {
				f.ok(err, "make the group")
			} else {
				f.refused(err, blog.Taken, "name")
			}
		}
	}},
	{"all faults are named at once and nothing is written", func(f *fixture) {
		owner := f.user()
		_, err := f.store.CreateGroup(f.ctx, blog.CreateGroup{
			Owner: owner.ID, Name: "a b", Title: " \n", Description: ptr(""), IdempotencyKey: ptr(strings.Repeat("k", blog.MaxIdempotencyKey+1)),
		})
		f.faults(err, "name invalid", "title invalid", "description invalid", "idempotencyKey too long")
		equal(f, "groups", len(f.groupsOf(owner)), 0)
	}},
}

func (f *fixture) createGroup(c blog.CreateGroup) blog.Group {
	f.Helper()
	f.clock.Advance(tick)
	g, err := f.store.CreateGroup(f.ctx, c)
	f.ok(err, "create group")
	return g
}

func (c *checked) CreateGroup(ctx context.Context, x blog.CreateGroup) (blog.Group, error) {
	g, err := c.Store.CreateGroup(ctx, x)
	c.keyed("CreateGroup", err, blog.Taken)
	return g, err
}
