package storetest

import (
	"context"
	"time"

	"broadsheet/blog"
)

var usersByID = []leaf{
	{"a user has all the texts that it was created with", func(f *fixture) {
		c := f.newUser()
		c.DisplayName, c.Bio, c.Email = ptr("Ada L."), ptr("Writes.\nThinks."), ptr(f.name()+"@Example.org")
		u := f.createUser(c)
		equal(f, "user", f.userByID(u.ID), u)
		equal(f, "texts", []any{u.Subject, u.Username, u.DisplayName, u.Bio, u.Email},
			[]any{c.Subject, c.Username, c.DisplayName, c.Bio, c.Email})
		equal(f, "version", u.Version, 1)
	}},
	{"texts that were not given are absent, not empty", func(f *fixture) {
		u := f.userByID(f.user().ID)
		equal(f, "texts", []*string{u.DisplayName, u.Bio, u.Email}, []*string{nil, nil, nil})
	}},
	{"a user was created when the clock says", func(f *fixture) {
		f.clock.Set(f.start.Add(time.Minute + 123_456*time.Microsecond))
		u, err := f.store.CreateUser(f.ctx, f.newUser())
		f.ok(err, "create user")
		equal(f, "created at", f.userByID(u.ID).CreatedAt(), f.start.Add(time.Minute+123*time.Millisecond))
	}},
	{"an unknown id is not found", func(f *fixture) {
		f.user()
		_, err := f.store.UserByID(f.ctx, f.nobody().ID)
		f.notFound(err, "a random id")
		_, err = f.store.UserByID(f.ctx, blog.UserID{})
		f.notFound(err, "the zero id")
	}},
	{"a post's id is no user's", func(f *fixture) {
		p := f.post(f.user())
		_, err := f.store.UserByID(f.ctx, blog.UserID{UUID: p.ID.UUID})
		f.notFound(err, "a post's id")
	}},
	{"a store that holds a user is not empty", func(f *fixture) {
		f.user()
		empty, err := f.store.Empty(f.ctx)
		f.ok(err, "empty")
		equal(f, "empty", empty, false)
	}},
	{"an open store is ready", func(f *fixture) { f.ok(f.store.Ready(f.ctx), "ready"); f.ok(f.store.Writable(f.ctx), "writable") }},
	{"a cancelled context is answered or times out", func(f *fixture) {
		u := f.user()
		ctx, cancel := context.WithCancel(f.ctx)
		cancel()
		if _, err := f.store.UserByID(ctx, u.ID); err != nil {
			f.refused(err, blog.Timeout, "")
		}
		if _, err := f.store.UpdateUser(ctx, blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("late")}); err != nil {
			f.refused(err, blog.Timeout, "")
		}
		f.userByID(u.ID)
	}},
}

// nobody is a user that was never created.
func (f *fixture) nobody() blog.User {
	id := blog.FirstUUIDAt(f.start)
	id[15] = 7
	return blog.User{ID: blog.UserID{UUID: id}}
}
