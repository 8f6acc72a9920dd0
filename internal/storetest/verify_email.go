package storetest

import (
	"strings"

	"broadsheet/blog"
)

var verifyEmail = []leaf{
	{"an operator verifies an address, and takes that back", func(f *fixture) {
		email := f.name() + "@Example.org"
		u := f.updateUser(blog.UpdateUser{Actor: f.user().ID, Email: blog.SetTo(email)})
		l := f.follow()
		f.settle()
		l.told = nil
		for range 2 {
			verified := f.verifyEmail(u, strings.ToUpper(email), true)
			equal(f, "verified", []any{verified.EmailVerified(), *verified.Email, verified.Version}, []any{true, email, u.Version + 1})
			equal(f, "owner", card(f.userByEmail(email)), card(verified))
		}
		f.settle()
		for range 2 {
			unverified := f.verifyEmail(u, email, false)
			equal(f, "unverified", []any{unverified.EmailVerified(), *unverified.Email, unverified.Version}, []any{false, email, u.Version + 2})
		}
		f.settle()
		_, err := f.store.UserByEmail(f.ctx, email)
		f.notFound(err, "the address")
		equal(f, "changes", kinds(l.changes()), []blog.Change{{Kind: blog.UserEmailVerified, User: u.ID}, {Kind: blog.UserEmailUnverified, User: u.ID}})
		other := f.userWithEmail(email)
		equal(f, "its owner", f.userByEmail(email).ID, other.ID)
	}},
	{"an address that another has verified is taken", func(f *fixture) {
		owner := f.userWithEmail(f.name() + "@example.org")
		u := f.updateUser(blog.UpdateUser{Actor: f.user().ID, Email: blog.SetTo(*owner.Email)})
		_, err := f.store.VerifyEmail(f.ctx, blog.VerifyEmail{User: u.ID, Email: *u.Email, Verified: true})
		f.refused(err, blog.Taken, "email")
		equal(f, "user", f.userByID(u.ID), u)
		f.verifyEmail(owner, *owner.Email, false)
		f.settle()
		equal(f, "verified", f.verifyEmail(u, *u.Email, true).EmailVerified(), true)
		equal(f, "owner", f.userByEmail(*u.Email).ID, u.ID)
	}},
	{"another address than the account's is not verified", func(f *fixture) {
		u, without := f.userWithEmail(f.name()+"@example.org"), f.user()
		for _, c := range []blog.VerifyEmail{{User: u.ID, Email: "x" + *u.Email}, {User: without.ID, Email: *u.Email}, {User: u.ID}, {User: u.ID, Email: "no address"}} {
			for _, c.Verified = range []bool{true, false} {
				_, err := f.store.VerifyEmail(f.ctx, c)
				f.refused(err, blog.Invalid, "email")
			}
		}
		equal(f, "user", f.userByID(u.ID), u)
		kelvin := f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo("\u212a" + *u.Email)})
		_, err := f.store.VerifyEmail(f.ctx, blog.VerifyEmail{User: u.ID, Email: *kelvin.Email, Verified: true})
		f.refused(err, blog.Invalid, "email")
	}},
	{"an account that does not exist has no address, one that is suspended has", func(f *fixture) {
		email := f.name() + "@example.org"
		_, err := f.store.VerifyEmail(f.ctx, blog.VerifyEmail{User: f.nobody().ID, Email: email, Verified: true})
		f.refused(err, blog.NotFound, "id")
		u := f.suspend(f.updateUser(blog.UpdateUser{Actor: f.user().ID, Email: blog.SetTo(email)}))
		verified := f.verifyEmail(u, email, true)
		equal(f, "user", []any{verified.EmailVerified(), verified.Suspended}, []any{true, true})
	}},
}

func (f *fixture) verifyEmail(u blog.User, email string, verified bool) blog.User {
	f.Helper()
	f.clock.Advance(tick)
	u, err := f.store.VerifyEmail(f.ctx, blog.VerifyEmail{User: u.ID, Email: email, Verified: verified})
	f.ok(err, "verify e-mail")
	return u
}
