package storetest

import (
	"strings"

	"broadsheet/blog"
)

var groupsByID = []leaf{
	{"a group is found by the id that its name has, whatever the case", func(f *fixture) {
		owner, name := f.user(), f.name()
		g := f.createGroup(blog.CreateGroup{Owner: owner.ID, Name: strings.ToUpper(name), Title: "A title", Description: ptr("What it is about.")})
		equal(f, "group", f.group(blog.GroupOf(name)), g)
		equal(f, "texts", []string{g.Name, g.Title, *g.Description}, []string{strings.ToUpper(name), "A title", "What it is about."})
		equal(f, "owner, version, time", []any{g.Owner, g.Version, g.CreatedAt}, []any{owner.ID, 1, f.clock.Now()})
	}},
}

func (f *fixture) group(id blog.GroupID) blog.Group {
	f.Helper()
	g, err := f.store.GroupByID(f.ctx, id)
	f.ok(err, "group by id")
	return g
}
