package storetest

import (
	"time"

	"broadsheet/blog"
)

var updatePost = []leaf{
	{"what is not set stays", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		edited := f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Content: blog.SetTo(longText)})
		equal(f, "texts", []string{edited.Title, edited.Content, edited.Excerpt}, []string{p.Title, longText, blog.Excerpt(longText)})
		edited = f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("New")})
		equal(f, "texts", []string{edited.Title, edited.Content, edited.Excerpt}, []string{"New", longText, blog.Excerpt(longText)})
		equal(f, "post", unstamped(f.postByID(p.ID)), unstamped(edited))
	}},
	{"an edit raises version and time, and keeps the rest", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		f.react(author, p)
		edited := f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("New")})
		want := f.postByID(p.ID)
		equal(f, "version", edited.Version, 2)
		equal(f, "times", []time.Time{edited.CreatedAt(), edited.UpdatedAt}, []time.Time{p.CreatedAt(), f.clock.Now()})
		want.CountAs(blog.Post{}) // an edit does not tell them
		equal(f, "author", unstamped(edited), unstamped(want))
		if edited.Stamp <= p.Stamp {
			f.Fatalf("the stamp went from %d to %d", p.Stamp, edited.Stamp)
		}
	}},
	{"an edit that changes nothing changes nothing", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		for _, edit := range []blog.UpdatePost{{}, {Title: blog.SetTo(p.Title)}, {Title: blog.SetTo(p.Title), Content: blog.SetTo(p.Content)}} {
			edit.Actor, edit.Post = author.ID, p.ID
			equal(f, "post", unstamped(f.updatePost(edit)), unstamped(p))
		}
		equal(f, "post", unstamped(f.postByID(p.ID)), unstamped(p))
	}},
	{"an edit with the clock gone back does not go back", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		f.clock.Advance(-time.Minute)
		edited := f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("New")})
		equal(f, "updated at", edited.UpdatedAt, p.UpdatedAt)
		equal(f, "title in the list", f.postsBy(author)[0].Title, "New")
	}},
	{"an edit of another version is refused", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("v2"), ExpectedVersion: ptr(1)})
		for _, version := range []int{0, 1, 3} {
			for _, title := range []string{"v3", "v2"} {
				_, err := f.store.UpdatePost(f.ctx, blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo(title), ExpectedVersion: &version})
				f.refused(err, blog.VersionConflict, "expectedVersion")
			}
		}
		equal(f, "title", f.postByID(p.ID).Title, "v2")
	}},
	{"title and content can't be cleared", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		_, err := f.store.UpdatePost(f.ctx, blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.Clear(), Content: blog.Clear()})
		f.faults(err, "title invalid", "content invalid")
	}},
	{"who may edit", func(f *fixture) {
		author, other := f.user(), f.user()
		p, gone := f.post(author), f.post(author)
		f.deletePost(gone)
		for _, c := range []struct {
			name  string
			actor blog.User
			post  blog.Post
			kind  blog.Kind
			field string
		}{
			{"not somebody else", other, p, blog.Forbidden, ""},
			{"not without an account", f.nobody(), p, blog.Forbidden, ""},
			{"not without an account what does not exist", f.nobody(), f.noPost(), blog.Forbidden, ""},
			{"nobody what never existed", author, f.noPost(), blog.NotFound, "id"},
			{"nobody what was deleted", author, gone, blog.NotFound, "id"},
		} {
			edit := blog.UpdatePost{Actor: c.actor.ID, Post: c.post.ID, Title: blog.SetTo("New"), ExpectedVersion: ptr(9)}
			_, err := f.store.UpdatePost(f.ctx, edit)
			f.refused(err, c.kind, c.field)
		}
		equal(f, "title", f.postByID(p.ID).Title, p.Title)
	}},
}
