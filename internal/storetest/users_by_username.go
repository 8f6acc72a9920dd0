package storetest

import (
	"strings"

	"broadsheet/blog"
)

var usersByUsername = []leaf{
	{"a user is found by name, whole", func(f *fixture) {
		c := f.newUser()
		c.DisplayName, c.Bio, c.Email = ptr("Ada L."), ptr("Writes."), ptr(f.name()+"@example.org")
		u := f.createUser(c)
		equal(f, "user", card(f.userByUsername(u.Username)), card(u))
	}},
	{"a name is found whatever its case and shown as written", func(f *fixture) {
		c := f.newUser()
		c.Username = strings.ToUpper(c.Username[:1]) + c.Username[1:]
		u := f.createUser(c)
		for _, spelling := range []string{c.Username, strings.ToLower(c.Username), strings.ToUpper(c.Username)} {
			found := f.userByUsername(spelling)
			equal(f, "id", found.ID, u.ID)
			equal(f, "name", found.Username, c.Username)
		}
	}},
	{"an edit shows at once", func(f *fixture) {
		u := f.user()
		edited := f.updateUser(blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("New."), DisplayName: blog.SetTo("Newer")})
		equal(f, "user", card(f.userByUsername(u.Username)), card(edited))
	}},
	{"a new name is found at once", func(f *fixture) {
		u := f.user()
		renamed := f.rename(u, f.name())
		equal(f, "user", card(f.userByUsername(renamed.Username)), card(renamed))
	}},
	{"an old name is not found", func(f *fixture) {
		u := f.user()
		f.rename(u, f.name())
		f.settle()
		_, err := f.store.UserByUsername(f.ctx, u.Username)
		f.notFound(err, "the old name")
	}},
	{"a name that nobody has is not found", func(f *fixture) {
		_, err := f.store.UserByUsername(f.ctx, f.name())
		f.notFound(err, "a free name")
	}},
	{"what can't be a name is not found", func(f *fixture) {
		for _, name := range []string{"", "a b", "\x00", "é", strings.Repeat("x", 10_000), "\xff"} {
			_, err := f.store.UserByUsername(f.ctx, name)
			f.notFound(err, "no name")
		}
	}},
	{"a name's beginning does not find it", func(f *fixture) {
		u := f.user()
		_, err := f.store.UserByUsername(f.ctx, u.Username[:len(u.Username)-1])
		f.notFound(err, "a beginning")
		_, err = f.store.UserByUsername(f.ctx, u.Username+"0")
		f.notFound(err, "a longer name")
	}},
}

// card is what every copy of a user holds.
func card(u blog.User) blog.User {
	u.Stamp = 0
	return u
}
