package storetest

import (
	"strings"

	"broadsheet/blog"
)

var relinkUser = []leaf{
	{"another subject acts for the account, and the one of before for none", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		p := f.post(u)
		subject := "subject of " + f.name()
		l := f.follow()
		f.settle()
		l.told = nil
		var relinked blog.User
		for range 2 {
			relinked = f.relink(u, subject)
			equal(f, "relinked", []any{relinked.Subject, relinked.Version}, []any{subject, u.Version + 1})
		}
		f.settle()
		equal(f, "by the subject", card(f.userBySubject(subject)), card(relinked))
		_, err := f.store.UserBySubject(f.ctx, u.Subject)
		f.notFound(err, "the subject of before")
		for name, found := range map[string]blog.User{"id": f.userByID(u.ID), "name": f.userByUsername(u.Username), "address": f.userByEmail(*u.Email)} {
			equal(f, "by "+name, card(found), card(relinked))
		}
		equal(f, "posts", f.postsBy(relinked)[0].ID, p.ID)
		equal(f, "changes", kinds(l.changes()), []blog.Change{{Kind: blog.UserRelinked, User: u.ID}})
	}},
	{"the subject of before is free, also for the account itself", func(f *fixture) {
		u := f.user()
		f.relink(u, "subject of "+f.name())
		f.settle()
		c := f.newUser()
		c.Subject = u.Subject
		other := f.createUser(c)
		equal(f, "account", f.userBySubject(u.Subject).ID, other.ID)
		f.relink(other, "subject of "+f.name())
		f.settle()
		for range 2 {
			f.relink(u, u.Subject)
			equal(f, "account", f.userBySubject(u.Subject).ID, u.ID)
			f.relink(u, "subject of "+f.name())
		}
	}},
	{"a key of before answers with no account of another subject", func(f *fixture) {
		c := f.newUser()
		c.IdempotencyKey = ptr("key")
		u := f.createUser(c)
		relinked := f.relink(u, "subject of "+f.name())
		f.settle()
		_, err := f.store.CreateUser(f.ctx, c)
		f.refused(err, blog.NotFound, "idempotencyKey")
		f.relink(relinked, c.Subject)
		f.settle()
		equal(f, "account", f.createUser(c).ID, u.ID)
	}},
	{"a subject that has an account is taken", func(f *fixture) {
		u, other := f.user(), f.user()
		_, err := f.store.RelinkUser(f.ctx, blog.RelinkUser{User: u.ID, Subject: other.Subject})
		f.refused(err, blog.Taken, "")
		equal(f, "user", f.userByID(u.ID), u)
		equal(f, "by its subject", card(f.userBySubject(u.Subject)), card(u))
		equal(f, "the other's", card(f.userBySubject(other.Subject)), card(other))
	}},
	{"what is no subject, and an account that does not exist", func(f *fixture) {
		u := f.user()
		for _, subject := range []string{"", "a\x00b", "\xff", strings.Repeat("x", blog.MaxSubjectBytes+1)} {
			_, err := f.store.RelinkUser(f.ctx, blog.RelinkUser{User: u.ID, Subject: subject})
			f.refused(err, blog.Invalid, "")
		}
		_, err := f.store.RelinkUser(f.ctx, blog.RelinkUser{User: f.nobody().ID, Subject: "subject of " + f.name()})
		f.refused(err, blog.NotFound, "id")
	}},
	{"a suspended account stays suspended", func(f *fixture) {
		u := f.suspend(f.user())
		equal(f, "suspended", f.relink(u, "subject of "+f.name()).Suspended, true)
	}},
	{"one of many accounts wins a subject, and the others keep theirs", func(f *fixture) {
		users, subject, won := f.users(8), "subject of "+f.name(), make([]bool, 8)
		f.atOnce(len(users), func(i int) error {
			_, err := f.store.RelinkUser(f.ctx, blog.RelinkUser{User: users[i].ID, Subject: subject})
			won[i] = err == nil
			return unless(err, blog.Taken, "")
		})
		equal(f, "winners", count(won), 1)
		f.settle()
		for i, u := range users {
			if won[i] {
				equal(f, "account", f.userBySubject(subject).ID, u.ID)
			} else {
				equal(f, "account", card(f.userBySubject(u.Subject)), card(u))
			}
		}
	}},
}

func (f *fixture) relink(u blog.User, subject string) blog.User {
	f.Helper()
	f.clock.Advance(tick)
	u, err := f.store.RelinkUser(f.ctx, blog.RelinkUser{User: u.ID, Subject: subject})
	f.ok(err, "relink user")
	return u
}
