package storetest

import (
	"strings"

	"broadsheet/blog"
)

var usersByEmail = []leaf{
	{"a user is found by address, whole, whatever its case", func(f *fixture) {
		u := f.userWithEmail("Ada." + f.name() + "@Example.org")
		for _, spelling := range []string{*u.Email, strings.ToLower(*u.Email), strings.ToUpper(*u.Email)} {
			equal(f, "user", card(f.userByEmail(spelling)), card(u))
		}
	}},
	{"an address that nobody has is not found", func(f *fixture) {
		_, err := f.store.UserByEmail(f.ctx, f.name()+"@example.org")
		f.notFound(err, "a free address")
		_, err = f.store.UserByEmail(f.ctx, "")
		f.notFound(err, "no address")
	}},
	{"an address that is set later is found", func(f *fixture) {
		u := f.user()
		email := f.name() + "@example.org"
		edited := f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(email), ProvedEmail: email})
		equal(f, "user", card(f.userByEmail(email)), card(edited))
	}},
	{"a changed address is found under the new one alone", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		email := f.name() + "@example.org"
		edited := f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(email), ProvedEmail: email})
		equal(f, "user", card(f.userByEmail(email)), card(edited))
		_, err := f.store.UserByEmail(f.ctx, *u.Email)
		f.notFound(err, "the old address")
	}},
	{"a cleared address is not found", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.Clear()})
		_, err := f.store.UserByEmail(f.ctx, *u.Email)
		f.notFound(err, "the cleared address")
	}},
	{"a new case of the same address is shown as written", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		upper := strings.ToUpper(*u.Email)
		f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(upper)})
		equal(f, "address", f.userByEmail(*u.Email).Email, &upper)
	}},
	{"other edits and a rename show here", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		f.updateUser(blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("New.")})
		renamed := f.rename(u, f.name())
		f.settle()
		equal(f, "user", card(f.userByEmail(*u.Email)), card(renamed))
	}},
}

func (f *fixture) userWithEmail(email string) blog.User {
	f.Helper()
	c := f.newUser()
	c.Email, c.ProvedEmail = &email, email
	return f.createUser(c)
}

func (f *fixture) userByEmail(email string) blog.User {
	f.Helper()
	u, err := f.store.UserByEmail(f.ctx, email)
	f.ok(err, "user by e-mail")
	return u
}
