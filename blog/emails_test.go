package blog_test

import (
	"testing"

	"broadsheet/blog"
)

func TestWhichAddressIsVerifiedAndListed(t *testing.T) {
	for name, c := range map[string]struct {
		user     blog.User
		verified bool
		listed   string
		yields   bool
	}{
		"none":                                   {blog.User{}, false, "", false},
		"verified":                               {blog.User{Email: ptr("Ada@b.c"), VerifiedEmail: ptr("ada@b.c")}, true, "ada@b.c", false},
		"not verified":                           {blog.User{Email: ptr("Ada@b.c"), VerifiedEmail: ptr("")}, false, "", true},
		"of a program before":                    {blog.User{Email: ptr("Ada@b.c")}, false, "ada@b.c", true},
		"changed by a program before":            {blog.User{Email: ptr("Ada@b.c"), VerifiedEmail: ptr("bob@b.c")}, false, "", true},
		"cleared by a program before":            {blog.User{VerifiedEmail: ptr("ada@b.c")}, false, "", false},
		"another, verified":                      {blog.User{Email: ptr("bob@b.c"), VerifiedEmail: ptr("bob@b.c")}, true, "bob@b.c", false},
		"another, which is not verified, either": {blog.User{Email: ptr("bob@b.c"), VerifiedEmail: ptr("")}, false, "", false},
	} {
		u := c.user
		if u.EmailVerified() != c.verified || u.ListedEmail() != c.listed || u.YieldsEmail("ada@b.c") != c.yields {
			t.Errorf("%s: verified %v, listed %q, yields %v", name, u.EmailVerified(), u.ListedEmail(), u.YieldsEmail("ada@b.c"))
		}
	}
}

func TestAnAddressFindsWhoHasVerifiedIt(t *testing.T) {
	const key = "ada@b.c"
	before := blog.User{Username: "before", Email: ptr(key), Stamp: 30}
	later := blog.User{Username: "later", Email: ptr(key), Stamp: 40}
	owner := blog.User{Username: "owner", Email: ptr("ADA@b.c"), VerifiedEmail: ptr(key), Stamp: 10}
	stale := blog.User{Username: "stale", Email: ptr(key), VerifiedEmail: ptr(key), Stamp: 5}
	other := blog.User{Username: "other", Email: ptr(key), VerifiedEmail: ptr(""), Stamp: 50}
	for _, c := range []struct {
		listed []blog.User
		want   string
	}{
		{nil, ""},
		{[]blog.User{other, {}}, ""},
		{[]blog.User{before, later, other}, "later"},
		{[]blog.User{later, before}, "later"},
		{[]blog.User{before, owner, later}, "owner"},
		{[]blog.User{owner, before}, "owner"},
		{[]blog.User{stale, owner}, "owner"},
		{[]blog.User{owner, stale}, "owner"},
	} {
		if got, err := blog.ByEmail.Owner(key, c.listed); got.Username != c.want || (err == nil) != (c.want != "") {
			t.Errorf("of %d: %q, %v, want %q", len(c.listed), got.Username, err, c.want)
		}
	}
}
