package storetest

import (
	"strings"

	"broadsheet/blog"
)

var usersBySubject = []leaf{
	{"a user is found by subject, whole", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		equal(f, "user", card(f.userBySubject(u.Subject)), card(u))
	}},
	{"edits and renames show here, and the subject stays", func(f *fixture) {
		u := f.user()
		f.updateUser(blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("New.")})
		renamed := f.rename(u, f.name())
		f.settle()
		equal(f, "user", card(f.userBySubject(u.Subject)), card(renamed))
	}},
	{"a subject without an account is not found", func(f *fixture) {
		_, err := f.store.UserBySubject(f.ctx, "subject of "+f.name())
		f.notFound(err, "a free subject")
		_, err = f.store.UserBySubject(f.ctx, "")
		f.notFound(err, "no subject")
	}},
	{"how subjects are told apart is kept", func(f *fixture) {
		was, err := f.store.Noted(f.ctx, blog.Authentication) // tests share stores
		f.ok(err, "read")
		for _, how := range []string{"by a test", "by another", "by another", "by a test"} {
			f.ok(f.store.Note(f.ctx, blog.Authentication, was, how), "note")
			f.settle()
			was, err = f.store.Noted(f.ctx, blog.Authentication)
			f.ok(err, "read")
			equal(f, "authentication", was, how)
		}
	}},
	{"whose subjects are the store's own is kept, and noted by one of two at once", func(f *fixture) {
		was, err := f.store.Noted(f.ctx, blog.Issuer) // tests share stores
		f.ok(err, "read")
		for _, issuer := range []string{"https://a.example", "https://b.example"} {
			refused := f.store.Note(f.ctx, blog.Issuer, was+" otherwise", issuer)
			f.refused(refused, blog.Unavailable, "")
			f.ok(f.store.Note(f.ctx, blog.Issuer, was, issuer), "note")
			kept, err := f.store.Noted(f.ctx, blog.Issuer)
			f.ok(err, "read")
			equal(f, "issuer", kept, issuer)
			was = issuer
		}
	}},
	{"one issuer's subject is not another's, nor the store's own", func(f *fixture) {
		sub := f.name() + "'s subject"
		made := map[string]blog.UserID{}
		for _, issuer := range []string{"", "https://a.example", "https://b.example/" + strings.Repeat("x", 400)} {
			c := f.newUser()
			c.Subject = blog.SubjectOf(issuer, sub)
			_, err := f.store.UserBySubject(f.ctx, c.Subject)
			f.notFound(err, "the subject of "+issuer)
			made[c.Subject] = f.createUser(c).ID
		}
		for subject, id := range made {
			equal(f, "account", f.userBySubject(subject).ID, id)
		}
	}},
	{"a subject's case counts", func(f *fixture) {
		u := f.user()
		_, err := f.store.UserBySubject(f.ctx, strings.ToUpper(u.Subject))
		f.notFound(err, "the subject in capitals")
		other := f.newUser()
		other.Subject = strings.ToUpper(u.Subject)
		created := f.createUser(other)
		equal(f, "id", f.userBySubject(other.Subject).ID, created.ID)
	}},
	{"a subject may hold any characters", func(f *fixture) {
		c := f.newUser()
		c.Subject = f.name() + "|auth0:ünïcödé/🙂 " + strings.Repeat("x", 150)
		u := f.createUser(c)
		equal(f, "user", card(f.userBySubject(c.Subject)), card(u))
	}},
}

func (f *fixture) userBySubject(subject string) blog.User {
	f.Helper()
	u, err := f.store.UserBySubject(f.ctx, subject)
	f.ok(err, "user by subject")
	return u
}
