package storetest

import (
	"strings"
	"time"

	"broadsheet/blog"
)

// What UpdateUser does beside the account itself where it sets a username.
var rename = []leaf{
	{"a rename reaches every copy", func(f *fixture) {
		u, other := f.user(), f.user()
		posts := f.posts(u, 3)
		strangers := f.post(other)
		for _, p := range append(posts, strangers) {
			f.comment(u, p)
			f.comment(other, p)
			f.react(u, p)
		}
		f.react(other, posts[0])
		renamed := f.rename(u, f.name())
		f.settle()
		f.hasNames(posts, renamed, other)
		f.hasNames([]blog.Post{strangers}, renamed, other)
	}},
	{"a display name reaches every copy, and so does having none", func(f *fixture) {
		u, other := f.user(), f.user()
		posts := append(f.posts(u, 2), f.post(other))
		for _, p := range posts {
			f.comment(u, p)
			f.react(u, p)
		}
		for i, name := range []*string{ptr("Ann"), ptr("Ann A."), nil} {
			u = f.display(u, name)
			f.settle()
			f.hasNames(posts, u, other)
			equal(f, "version", u.Version, 2+i)
		}
	}},
	{"a rename that only changes the case reaches every copy", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		f.comment(u, p)
		f.react(u, p)
		renamed := f.rename(u, strings.ToUpper(u.Username))
		f.settle()
		equal(f, "version", renamed.Version, 2)
		f.hasNames([]blog.Post{p}, renamed)
		equal(f, "user", card(f.userByUsername(u.Username)), card(renamed))
		c := f.newUser()
		c.Username = u.Username
		_, err := f.store.CreateUser(f.ctx, c)
		f.refused(err, blog.Taken, "username")
	}},
	{"what is written after a rename has the new name", func(f *fixture) {
		u := f.user()
		old := f.post(u)
		renamed := f.rename(u, f.name())
		p := f.post(u)
		c := f.comment(u, old)
		like, _ := f.react(u, old)
		author := renamed.Name().Author()
		equal(f, "authors", []blog.Author{p.Author, c.Author, like.User}, []blog.Author{author, author, author})
		f.settle()
		f.hasNames([]blog.Post{old, p}, renamed)
	}},
	{"a like that is taken back and given again has the new name", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		f.react(u, p)
		f.takeBack(u, p)
		renamed := f.rename(u, f.name())
		f.settle()
		f.react(u, p)
		equal(f, "name", f.reactionsOf(p)[0].User, renamed.Name().Author())
	}},
	{"the old name is free once the copies have the new one", func(f *fixture) {
		u := f.user()
		renamed := f.rename(u, f.name())
		f.settle()
		c := f.newUser()
		c.Username = strings.ToUpper(u.Username)
		heir := f.createUser(c)
		equal(f, "heir", f.userByUsername(u.Username).ID, heir.ID)
		equal(f, "first owner", f.userByUsername(renamed.Username).ID, u.ID)
		_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(u.Username)})
		f.refused(err, blog.Taken, "username")
	}},
	{"a rename too soon after the last one is refused, and keeps no name", func(f *fixture) {
		const interval = time.Minute
		u, wanted := f.user(), f.name()
		first, err := f.renameWithin(u, f.name(), interval) // a new account's first
		f.ok(err, "rename")
		f.updateUser(blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("Writes."), RenameInterval: interval})
		for _, name := range []string{wanted, strings.ToUpper(first.Username), u.Username} {
			_, err = f.renameWithin(u, name, interval)
			f.refused(err, blog.Forbidden, "username")
		}
		next := first.RenamedAt.Add(interval + time.Second - 1).Truncate(time.Second)
		if !strings.HasSuffix(err.Error(), "again from "+next.Format(time.RFC3339)+" on") {
			f.Errorf("the refusal is %q, want it to say %v", err, next)
		}
		f.settle()
		c := f.newUser()
		c.Username = wanted
		f.createUser(c)
		equal(f, "the same name, unchanged", f.updateUser(blog.UpdateUser{
			Actor: u.ID, Username: blog.SetTo(first.Username), RenameInterval: interval}).Version, 3)
		f.clock.Set(first.RenamedAt.Add(interval - tick - time.Millisecond))
		_, err = f.renameWithin(u, f.name(), interval)
		f.refused(err, blog.Forbidden, "username")
		again, err := f.renameWithin(u, f.name(), interval)
		f.ok(err, "rename after the interval")
		equal(f, "when", f.userByID(u.ID).RenamedAt, again.RenamedAt)
	}},
	{"a rename under a clock that was ahead holds up the next ones for no longer than another", func(f *fixture) {
		const interval = time.Hour
		u := f.user()
		f.clock.Advance(farAhead)
		_, err := f.renameWithin(u, f.name(), interval)
		f.ok(err, "rename under a clock that is ahead")
		f.clock.Advance(-farAhead)
		second, err := f.renameWithin(u, f.name(), interval)
		f.ok(err, "rename after the clock was set right")
		equal(f, "when", second.RenamedAt.Sub(f.clock.Now()).Abs() < time.Minute, true)
		f.clock.Set(second.RenamedAt.Add(interval - tick - time.Millisecond))
		_, err = f.renameWithin(u, f.name(), interval)
		f.refused(err, blog.Forbidden, "username")
		third, err := f.renameWithin(u, f.name(), interval)
		f.ok(err, "rename after the interval")
		f.settle()
		equal(f, "user", card(f.userByUsername(third.Username)), card(third))
	}},
	{"a rename by a clock that is ahead as far as two may be apart holds up the next one", func(f *fixture) {
		const interval = time.Hour
		u := f.user()
		first, err := f.renameWithin(u, f.name(), interval)
		f.ok(err, "rename")
		f.clock.Set(first.RenamedAt.Add(-2*blog.ClockSkew - tick))
		_, err = f.renameWithin(u, f.name(), interval)
		f.refused(err, blog.Forbidden, "username")
	}},
	{"to another name and back, at once", func(f *fixture) { checkThereAndBack(f, func() {}) }},
	{"to another name and back, with the copies in between", func(f *fixture) { checkThereAndBack(f, f.settle) }},
	{"many renames in a row: the last one stands, the others are free", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		f.comment(u, p)
		names := []string{u.Username}
		for range 5 {
			names = append(names, f.name())
			u = f.rename(u, names[len(names)-1])
		}
		f.settle()
		f.hasNames([]blog.Post{p}, u)
		for _, name := range names[:5] {
			c := f.newUser()
			c.Username = name
			f.createUser(c)
		}
	}},
	{"a rename walks past what was deleted", func(f *fixture) {
		u := f.user()
		posts := f.posts(u, 3)
		for _, p := range posts {
			f.deleteComment(f.comment(u, p))
			f.comment(u, p)
			f.react(u, p)
			f.takeBack(u, p)
		}
		f.deletePost(posts[1])
		renamed := f.rename(u, f.name())
		f.settle()
		f.hasNames([]blog.Post{posts[0], posts[2]}, renamed)
		_, err := f.store.PostByID(f.ctx, posts[1].ID)
		f.notFound(err, "the deleted post")
		equal(f, "posts", len(f.postsBy(u)), 2)
	}},
}

func checkThereAndBack(f *fixture, between func()) {
	u := f.user()
	p := f.post(u)
	there := f.rename(u, f.name())
	between()
	back := f.rename(u, u.Username)
	f.settle()
	equal(f, "version", back.Version, 3)
	f.hasNames([]blog.Post{p}, back)
	equal(f, "user", card(f.userByUsername(u.Username)), card(back))
	for name, free := range map[string]bool{u.Username: false, there.Username: true} {
		c := f.newUser()
		c.Username = name
		_, err := f.store.CreateUser(f.ctx, c)
		if !free {
			f.refused(err, blog.Taken, "username")
		} else {
			f.ok(err, "create user with the name in between")
		}
	}
}
