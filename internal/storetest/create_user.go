package storetest

import (
	"strings"

	"broadsheet/blog"
)

var createUser = []leaf{
	{"the shortest and the longest texts are accepted", func(f *fixture) {
		long := f.newUser()
		long.Username += strings.Repeat("x", blog.MaxUsername-len(long.Username))
		long.DisplayName = ptr(strings.Repeat("ü", blog.MaxDisplayName))
		long.Bio = ptr(strings.Repeat("漢", blog.MaxBio))
		u := f.createUser(long)
		equal(f, "user", f.userByID(u.ID), u)
		equal(f, "texts", []*string{u.DisplayName, u.Bio}, []*string{long.DisplayName, long.Bio})
	}},
	{"all faults are named at once", func(f *fixture) {
		c := blog.CreateUser{
			Subject: "subject of " + f.name(), Username: "no", Email: ptr("no address"),
			DisplayName: ptr(" "), Bio: ptr(strings.Repeat("x", blog.MaxBio+1)), IdempotencyKey: ptr(""),
		}
		_, err := f.store.CreateUser(f.ctx, c)
		f.faults(err, "username invalid", "email invalid", "displayName invalid", "bio too long", "idempotencyKey invalid")
		_, err = f.store.UserBySubject(f.ctx, c.Subject)
		f.notFound(err, "the refused account")
	}},
	{"a subject can't be empty", func(f *fixture) {
		c := f.newUser()
		c.Subject = ""
		_, err := f.store.CreateUser(f.ctx, c)
		f.refused(err, blog.Invalid, "")
	}},
	{"a subject has one account", func(f *fixture) {
		u := f.user()
		second := f.newUser()
		second.Subject = u.Subject
		_, err := f.store.CreateUser(f.ctx, second)
		f.refused(err, blog.Taken, "")
		equal(f, "account", card(f.userBySubject(u.Subject)), card(u))
	}},
	{"a name is unique whatever its case", func(f *fixture) {
		u := f.user()
		for _, spelling := range []string{u.Username, strings.ToUpper(u.Username)} {
			c := f.newUser()
			c.Username = spelling
			_, err := f.store.CreateUser(f.ctx, c)
			f.refused(err, blog.Taken, "username")
		}
		equal(f, "owner", f.userByUsername(u.Username).ID, u.ID)
	}},
	{"an address that is not proved is nobody's, and is told of nobody", func(f *fixture) {
		owner := f.userWithEmail(f.name() + "@example.org")
		for _, proved := range []string{"", f.name() + "@example.org"} {
			c := f.newUser()
			c.Email, c.ProvedEmail = owner.Email, proved
			u := f.createUser(c)
			equal(f, "address", u.Email, owner.Email)
			equal(f, "verified", u.EmailVerified(), false)
			equal(f, "user", f.userByID(u.ID), u)
		}
		f.settle()
		equal(f, "owner", f.userByEmail(*owner.Email).ID, owner.ID)
	}},
	{"an address that is proved is its owner's, whoever gave it before", func(f *fixture) {
		c, email := f.newUser(), f.name()+"@example.org"
		c.Email = &email
		stranger := f.createUser(c)
		_, err := f.store.UserByEmail(f.ctx, email)
		f.notFound(err, "an address that nobody has proved")
		owner := f.userWithEmail(strings.ToUpper(email))
		equal(f, "owner", f.userByEmail(email).ID, owner.ID)
		equal(f, "stranger", f.userByID(stranger.ID), stranger)
	}},
	{"the sign of the kelvin proves no address with the letter k", func(f *fixture) {
		name := f.name()
		for _, addresses := range [][2]string{{name + "@k.example", name + "@\u212a.example"}, {name + "@\u212a.example", name + "@k.example"}, {name + "@\u212a.example", name + "@\u212a.example"}} {
			c := f.newUser()
			c.Email, c.ProvedEmail = &addresses[0], addresses[1]
			equal(f, "verified", f.createUser(c).EmailVerified(), false)
		}
	}},
	{"an address is unique whatever its case", func(f *fixture) {
		u := f.userWithEmail("Ada." + f.name() + "@example.org")
		for _, spelling := range []string{*u.Email, strings.ToUpper(*u.Email), strings.ToLower(*u.Email)} {
			c := f.newUser()
			c.Email, c.ProvedEmail = &spelling, spelling
			_, err := f.store.CreateUser(f.ctx, c)
			f.refused(err, blog.Taken, "email")
		}
		equal(f, "owner", f.userByEmail(*u.Email).ID, u.ID)
	}},
	{"a refused account keeps nothing: neither subject, name nor address", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		free := f.newUser()
		free.ProvedEmail = f.name() + "@example.org"
		free.Email = ptr(free.ProvedEmail)
		for _, spoil := range []func(c *blog.CreateUser){
			func(c *blog.CreateUser) { c.Subject = u.Subject },
			func(c *blog.CreateUser) { c.Username = u.Username },
			func(c *blog.CreateUser) { c.Email, c.ProvedEmail = u.Email, *u.Email },
		} {
			c := free
			spoil(&c)
			if _, err := f.store.CreateUser(f.ctx, c); err == nil {
				f.Fatal("the account was not refused")
			}
		}
		f.settle()
		created := f.createUser(free)
		equal(f, "user", f.userByID(created.ID), created)
	}},
	{"many accounts without an address", func(f *fixture) {
		users := f.users(3)
		for _, u := range users {
			equal(f, "user", f.userByID(u.ID), u)
		}
	}},
}
