package storetest

import (
	"strings"

	"broadsheet/blog"
)

var updateUser = []leaf{
	{"what is not set stays", func(f *fixture) {
		c := f.newUser()
		c.DisplayName, c.Bio, c.Email = ptr("Ada"), ptr("Writes."), ptr(f.name()+"@example.org")
		u := f.createUser(c)
		edited := f.updateUser(blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("Thinks.")})
		want := u
		want.Bio, want.Version = ptr("Thinks."), 2
		equal(f, "user", card(edited), card(want))
		equal(f, "user by id", f.userByID(u.ID), edited)
	}},
	{"null clears name to display, bio and address", func(f *fixture) {
		c := f.newUser()
		c.DisplayName, c.Bio, c.Email = ptr("Ada"), ptr("Writes."), ptr(f.name()+"@example.org")
		u := f.createUser(c)
		f.updateUser(blog.UpdateUser{Actor: u.ID, DisplayName: blog.Clear(), Bio: blog.Clear(), Email: blog.Clear()})
		found := f.userByID(u.ID)
		equal(f, "texts", []*string{found.DisplayName, found.Bio, found.Email}, []*string{nil, nil, nil})
	}},
	{"a username can't be cleared", func(f *fixture) {
		_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: f.user().ID, Username: blog.Clear()})
		f.refused(err, blog.Invalid, "username")
	}},
	{"all faults are named at once and nothing is changed", func(f *fixture) {
		u := f.user()
		_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{
			Actor: u.ID, Username: blog.SetTo("a b"), Email: blog.SetTo(""), DisplayName: blog.SetTo("\x00"),
			Bio: blog.SetTo(strings.Repeat("x", blog.MaxBio+1)),
		})
		f.faults(err, "username invalid", "email invalid", "displayName invalid", "bio too long")
		equal(f, "user", f.userByID(u.ID), u)
	}},
	{"each edit raises the version by one, one without effect does not", func(f *fixture) {
		u := f.user()
		edit := blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("Writes."), DisplayName: blog.SetTo("Ada")}
		equal(f, "first", f.updateUser(edit).Version, 2)
		equal(f, "again", f.updateUser(edit).Version, 2)
		equal(f, "nothing set", f.updateUser(blog.UpdateUser{Actor: u.ID}).Version, 2)
		equal(f, "same name", f.rename(u, u.Username).Version, 2)
		equal(f, "no address to clear", f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.Clear()}).Version, 2)
		equal(f, "clear", f.updateUser(blog.UpdateUser{Actor: u.ID, Bio: blog.Clear()}).Version, 3)
		equal(f, "name", f.rename(u, f.name()).Version, 4)
		equal(f, "stored", f.userByID(u.ID).Version, 4)
	}},
	{"stamps rise with each edit though the clock stands", func(f *fixture) {
		u := f.user()
		for _, bio := range []string{"a", "b", "c"} {
			edited, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo(bio)})
			f.ok(err, "update user")
			if edited.Stamp <= u.Stamp {
				f.Fatalf("the stamp went from %d to %d", u.Stamp, edited.Stamp)
			}
			u = edited
		}
	}},
	{"an edit of another version is refused", func(f *fixture) {
		u := f.user()
		f.updateUser(blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("v2"), ExpectedVersion: ptr(1)})
		for name, edit := range map[string]blog.UpdateUser{
			"older":                     {Bio: blog.SetTo("v3"), ExpectedVersion: ptr(1)},
			"newer":                     {Bio: blog.SetTo("v3"), ExpectedVersion: ptr(3)},
			"none":                      {Bio: blog.SetTo("v3"), ExpectedVersion: ptr(0)},
			"that would change nothing": {Bio: blog.SetTo("v2"), ExpectedVersion: ptr(1)},
			"to a new name":             {Username: blog.SetTo(f.name()), ExpectedVersion: ptr(1)},
		} {
			edit.Actor = u.ID
			_, err := f.store.UpdateUser(f.ctx, edit)
			if err == nil {
				f.Fatalf("%s: succeeded", name)
			}
			f.refused(err, blog.VersionConflict, "expectedVersion")
		}
		equal(f, "bio", f.userByID(u.ID).Bio, ptr("v2"))
	}},
	{"without an account there is nothing to edit", func(f *fixture) {
		_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: f.nobody().ID, Bio: blog.SetTo("x")})
		f.refused(err, blog.Forbidden, "")
	}},
	{"somebody else's name and address are taken", func(f *fixture) {
		owner, u := f.userWithEmail(f.name()+"@example.org"), f.user()
		_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(strings.ToUpper(owner.Username))})
		f.refused(err, blog.Taken, "username")
		_, err = f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(strings.ToUpper(*owner.Email)), ProvedEmail: *owner.Email})
		f.refused(err, blog.Taken, "email")
		equal(f, "user", f.userByID(u.ID), u)
	}},
	{"a refused edit keeps neither name nor address", func(f *fixture) {
		owner, u := f.userWithEmail(f.name()+"@example.org"), f.user()
		name, email := f.name(), f.name()+"@example.org"
		_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(name), Email: blog.SetTo(*owner.Email), ProvedEmail: *owner.Email})
		f.refused(err, blog.Taken, "email")
		_, err = f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(owner.Username), Email: blog.SetTo(email), ProvedEmail: email})
		f.refused(err, blog.Taken, "username")
		f.settle()
		other := f.newUser()
		other.Username, other.Email, other.ProvedEmail = name, &email, email
		f.createUser(other)
	}},
	{"an address is free again when it is changed or cleared", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		first, second := *u.Email, f.name()+"@example.org"
		f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(second), ProvedEmail: second})
		f.settle()
		f.userWithEmail(strings.ToUpper(first))
		f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.Clear()})
		f.settle()
		f.userWithEmail(second)
		_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(first), ProvedEmail: first})
		f.refused(err, blog.Taken, "email")
	}},
	{"an address that is not proved is set, blocks nobody and is told of nobody", func(f *fixture) {
		owner, u := f.userWithEmail(f.name()+"@example.org"), f.user()
		edited := f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(*owner.Email)})
		equal(f, "address", edited.Email, owner.Email)
		equal(f, "verified", edited.EmailVerified(), false)
		equal(f, "user", f.userByID(u.ID), edited)
		free := f.name() + "@example.org"
		f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(free), ProvedEmail: *owner.Email})
		f.settle()
		equal(f, "owner", f.userByEmail(*owner.Email).ID, owner.ID)
		_, err := f.store.UserByEmail(f.ctx, free)
		f.notFound(err, "an address that nobody has proved")
		other := f.userWithEmail(free)
		equal(f, "its owner", f.userByEmail(free).ID, other.ID)
	}},
	{"an address is verified by the edit that sets it with a proof, if only again", func(f *fixture) {
		email := f.name() + "@Example.org"
		u := f.updateUser(blog.UpdateUser{Actor: f.user().ID, Email: blog.SetTo(email)})
		for _, edit := range []blog.UpdateUser{
			{Bio: blog.SetTo("Others' edits prove nothing."), ProvedEmail: email}, {Email: blog.SetTo(email)}, {Email: blog.SetTo(email), ProvedEmail: "x" + email},
		} {
			edit.Actor = u.ID
			equal(f, "verified", f.updateUser(edit).EmailVerified(), false)
		}
		before := f.userByID(u.ID)
		proved := blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(email), ProvedEmail: strings.ToLower(email)}
		for range 2 {
			edited := f.updateUser(proved)
			equal(f, "edited", []any{edited.EmailVerified(), edited.Version}, []any{true, before.Version + 1})
			equal(f, "owner", card(f.userByEmail(email)), card(edited))
		}
		kept := f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(strings.ToUpper(email))})
		equal(f, "another case", []any{kept.EmailVerified(), *kept.Email}, []any{true, strings.ToUpper(email)})
	}},
	{"a verified address is no more so when it is changed, cleared or changed back", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		for _, edit := range []blog.Edit{blog.SetTo(f.name() + "@example.org"), blog.SetTo(*u.Email), blog.Clear(), blog.SetTo(*u.Email)} {
			edited := f.updateUser(blog.UpdateUser{Actor: u.ID, Email: edit})
			equal(f, "verified", edited.EmailVerified(), false)
			f.settle()
			_, err := f.store.UserByEmail(f.ctx, *u.Email)
			f.notFound(err, "the address")
		}
		other := f.userWithEmail(*u.Email)
		equal(f, "owner", f.userByEmail(*u.Email).ID, other.ID)
	}},
	{"texts come back byte for byte", func(f *fixture) {
		u := f.user()
		for name, text := range anyTexts {
			f.updateUser(blog.UpdateUser{Actor: u.ID, DisplayName: blog.SetTo(text), Bio: blog.SetTo(text)})
			found := f.userByID(u.ID)
			equal(f, name, []*string{found.DisplayName, found.Bio}, []*string{&text, &text})
		}
	}},
}
