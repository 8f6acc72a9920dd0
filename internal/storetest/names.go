package storetest

import (
	"slices"

	"broadsheet/blog"
)

// hasNames fails unless every copy below the posts and of the users has the
// users' names.
func (f *fixture) hasNames(posts []blog.Post, users ...blog.User) {
	f.Helper()
	names := map[blog.UserID]blog.Author{}
	for _, u := range users {
		names[u.ID] = u.Name().Author()
	}
	check := func(where string, a blog.Author) {
		f.Helper()
		want := names[a.ID]
		want.ID = a.ID
		equal(f, where, a, want)
	}
	for _, p := range posts {
		check("posts_by_id", f.postByID(p.ID).Author)
		for _, c := range f.commentsOf(p) {
			check("one comment", f.commentByKey(c.Key()).Author)
		}
		for _, l := range everyList {
			if _, known := f.standIns.Load(p.ID); !ofParent(l.declaration()) || !of(l.declaration(), blog.TypePost) && !known {
				continue
			}
			for _, u := range users {
				for _, a := range l.authors(f, owner{u.ID, p.ID}) {
					check(string(l.declaration().Table), a)
				}
			}
		}
	}
	for _, row := range f.feed() {
		check("feed_by_bucket", row.Author)
	}
	for _, l := range everyList {
		if d := l.declaration(); ofParent(d) || !slices.ContainsFunc(d.Table.Families(), (*blog.Family).Names) {
			continue // nor does a list that holds no names show them
		}
		for _, u := range users {
			for _, a := range l.authors(f, owner{user: u.ID}) {
				check(string(l.declaration().Table), a)
			}
		}
	}
}
