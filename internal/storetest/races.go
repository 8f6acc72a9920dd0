package storetest

import (
	"fmt"
	"strings"
	"time"

	"broadsheet/blog"
)

// Commands that want the same thing at once.
var races = []leaf{
	{"one of many accounts wins a name, whatever its case", func(f *fixture) {
		name := f.name()
		accounts := f.newUsers()
		winner := f.oneWins("username", accounts, func(i int, c *blog.CreateUser) {
			if c.Username = name; i%2 == 0 {
				c.Username = strings.ToUpper(name)
			}
		})
		equal(f, "owner", f.userByUsername(name).ID, winner.ID)
	}},
	{"one of many edits verifies an address, and the others' addresses stay", func(f *fixture) {
		email, users, won := f.name()+"@example.org", f.users(8), make([]bool, 8)
		for i, u := range users {
			if i%2 == 0 {
				users[i] = f.updateUser(blog.UpdateUser{Actor: u.ID, Email: blog.SetTo(email)})
			}
		}
		f.atOnce(len(users), func(i int) error {
			_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: users[i].ID, Email: blog.SetTo(email), ProvedEmail: email})
			won[i] = err == nil
			return unless(err, blog.Taken, "email")
		})
		equal(f, "winners", count(won), 1)
		f.settle()
		for i, u := range users {
			now := f.userByID(u.ID)
			equal(f, "verified", now.EmailVerified(), won[i])
			if won[i] {
				equal(f, "owner", f.userByEmail(email).ID, u.ID)
			} else {
				u.Stamp = now.Stamp // which an edit may raise that takes a claim away from an address that is not verified
				equal(f, "user", now, u)
			}
		}
	}},
	{"one of many accounts wins an address", func(f *fixture) {
		email := f.name() + "@example.org"
		winner := f.oneWins("email", f.newUsers(), func(_ int, c *blog.CreateUser) { c.Email, c.ProvedEmail = &email, email })
		equal(f, "owner", f.userByEmail(email).ID, winner.ID)
	}},
	{"one of many accounts wins a subject, and the others' names stay free", func(f *fixture) {
		accounts := f.newUsers()
		subject := "subject of " + f.name()
		winner := f.oneWins("", accounts, func(_ int, c *blog.CreateUser) { c.Subject = subject })
		equal(f, "owner", f.userBySubject(subject).ID, winner.ID)
	}},
	{"one of many renames wins a name", func(f *fixture) {
		users, name := f.users(8), f.name()
		won := make([]bool, len(users))
		f.atOnce(len(users), func(i int) error {
			_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: users[i].ID, Username: blog.SetTo(name)})
			won[i] = err == nil
			return unless(err, blog.Taken, "username")
		})
		equal(f, "winners", count(won), 1)
		f.settle()
		for i, u := range users {
			want := u.Username
			if won[i] {
				want = name
			}
			equal(f, "name", f.userByID(u.ID).Username, want)
			equal(f, "found by it", f.userByUsername(want).ID, u.ID)
		}
	}},
	{"one of many renames of an account is made within an interval, and the others' names stay free", func(f *fixture) {
		u, names, won := f.user(), []string{}, make([]bool, 8)
		for range won {
			names = append(names, f.name())
		}
		f.atOnce(len(won), func(i int) error {
			_, err := f.renameWithin(u, names[i], time.Minute)
			won[i] = err == nil
			return unless(err, blog.Forbidden, "username")
		})
		equal(f, "renames", count(won), 1)
		f.settle()
		for i, name := range names {
			if won[i] {
				equal(f, "name", f.userByID(u.ID).Username, name)
				continue
			}
			c := f.newUser()
			c.Username = name
			f.createUser(c)
		}
	}},
	{"one edit of each version wins", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		for version := 1; version <= 4; version++ {
			won := make([]bool, 8)
			f.atOnce(len(won), func(i int) error {
				_, err := f.store.UpdatePost(f.ctx, blog.UpdatePost{
					Actor: author.ID, Post: p.ID, Title: blog.SetTo(fmt.Sprintf("%d by %d", version, i)), ExpectedVersion: &version,
				})
				won[i] = err == nil
				return unless(err, blog.VersionConflict, "expectedVersion")
			})
			equal(f, "winners", count(won), 1)
			found := f.postByID(p.ID)
			equal(f, "version", found.Version, version+1)
			for i := range won {
				equal(f, "won", won[i], found.Title == fmt.Sprintf("%d by %d", version, i))
			}
			equal(f, "title in the list", f.postsBy(author)[0].Title, found.Title)
		}
	}},
	{"every edit without an expected version is kept in turn", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		f.atOnce(8, func(i int) error {
			_, err := f.store.UpdatePost(f.ctx, blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo(fmt.Sprint(i))})
			return err
		})
		found := f.postByID(p.ID)
		equal(f, "version", found.Version, 9)
		equal(f, "rows", []string{f.postsBy(author)[0].Title, f.feed()[0].Title}, []string{found.Title, found.Title})
	}},
}

func (f *fixture) newUsers() []blog.CreateUser {
	accounts := make([]blog.CreateUser, clients)
	for i := range accounts {
		accounts[i] = f.newUser()
		email := f.name() + "@example.org"
		accounts[i].Email, accounts[i].ProvedEmail = &email, email
	}
	return accounts
}

// oneWins creates accounts that all want one thing, and fails unless one gets it,
// the others are refused for it, and what else they wanted is free afterwards.
func (f *fixture) oneWins(field string, accounts []blog.CreateUser, want func(i int, c *blog.CreateUser)) (winner blog.User) {
	f.Helper()
	created := make([]blog.User, len(accounts))
	won := make([]bool, len(accounts))
	f.atOnce(len(accounts), func(i int) (err error) {
		c := accounts[i]
		want(i, &c)
		created[i], err = f.store.CreateUser(f.ctx, c)
		won[i] = err == nil
		return unless(err, blog.Taken, field)
	})
	equal(f, "winners", count(won), 1)
	f.settle()
	for i, c := range accounts {
		if won[i] {
			winner = created[i]
			continue
		}
		f.createUser(c)
	}
	return winner
}
