package blog_test

import (
	"strings"
	"testing"

	"broadsheet/blog"
)

// faultsOf returns what is wrong with an input, as "field kind", in order.
func faultsOf(err error) string {
	var all []string
	for _, e := range blog.Each(err) {
		all = append(all, strings.TrimSpace(strings.Join(e.Field, ".")+" "+e.Kind.String()))
	}
	return strings.Join(all, ", ")
}

func ptr[T any](v T) *T { return &v }

// checks of one text: the command that is valid but for it, by creation and by edit.
var checks = map[string][]func(s string) error{
	"username": {
		func(s string) error { return blog.CreateUser{Subject: "s", Username: s}.Validate() },
		func(s string) error { return blog.UpdateUser{Username: blog.SetTo(s)}.Validate() },
	},
	"email": {
		func(s string) error { return blog.CreateUser{Subject: "s", Username: "name", Email: &s}.Validate() },
		func(s string) error { return blog.UpdateUser{Email: blog.SetTo(s)}.Validate() },
	},
	"displayName": {
		func(s string) error {
			return blog.CreateUser{Subject: "s", Username: "name", DisplayName: &s}.Validate()
		},
		func(s string) error { return blog.UpdateUser{DisplayName: blog.SetTo(s)}.Validate() },
	},
	"bio": {
		func(s string) error { return blog.CreateUser{Subject: "s", Username: "name", Bio: &s}.Validate() },
		func(s string) error { return blog.UpdateUser{Bio: blog.SetTo(s)}.Validate() },
	},
	"title": {
		func(s string) error { return blog.CreatePost{Title: s, Content: "c"}.Validate() },
		func(s string) error { return blog.UpdatePost{Title: blog.SetTo(s)}.Validate() },
	},
	"content of a post": {
		func(s string) error { return blog.CreatePost{Title: "t", Content: s}.Validate() },
		func(s string) error { return blog.UpdatePost{Content: blog.SetTo(s)}.Validate() },
	},
	"content of a comment": {
		func(s string) error { return blog.CreateComment{Content: s}.Validate() },
		func(s string) error { return blog.UpdateComment{Content: s}.Validate() },
	},
	"idempotencyKey": {
		func(s string) error {
			return blog.CreateUser{Subject: "s", Username: "name", IdempotencyKey: &s}.Validate()
		},
		func(s string) error { return blog.CreatePost{Title: "t", Content: "c", IdempotencyKey: &s}.Validate() },
		func(s string) error { return blog.CreateComment{Content: "c", IdempotencyKey: &s}.Validate() },
	},
}

const fine = ""

func check(t *testing.T, text, name, s, want string) {
	t.Helper()
	field, _, _ := strings.Cut(text, " ")
	if want != fine {
		want = field + " " + want
	}
	for i, validate := range checks[text] {
		if got := faultsOf(validate(s)); got != want {
			t.Errorf("%s, %s, in command %d: got %q, want %q", text, name, i, got, want)
		}
	}
}

func TestLimitsOfTexts(t *testing.T) {
	for text, limit := range map[string]int{
		"displayName": 100, "bio": 1_000, "title": 200, "content of a comment": 10_000, "idempotencyKey": 100,
	} {
		for character, c := range map[string]string{"letters": "x", "Han": "漢", "emoji": "🙂"} {
			check(t, text, "one short of the limit, in "+character, strings.Repeat(c, limit-1), fine)
			check(t, text, "at the limit, in "+character, strings.Repeat(c, limit), fine)
			check(t, text, "above the limit, in "+character, strings.Repeat(c, limit+1), "too long")
		}
		check(t, text, "one character", "x", fine)
	}
	for name, c := range map[string]struct{ content, want string }{
		"one byte":                {"x", fine},
		"at 64 KiB":               {strings.Repeat("x", 64<<10), fine},
		"above 64 KiB":            {strings.Repeat("x", 64<<10+1), "too long"},
		"at 64 KiB, in emoji":     {strings.Repeat("🙂", 16<<10), fine},
		"above 64 KiB, in emoji":  {strings.Repeat("🙂", 16<<10) + "x", "too long"},
		"above 64 KiB, all white": {strings.Repeat(" ", 64<<10+1), "too long"},
	} {
		check(t, "content of a post", name, c.content, c.want)
	}
}

func TestTextsThatCanNotBe(t *testing.T) {
	for text := range checks {
		if text == "username" {
			continue
		}
		for name, s := range map[string]string{
			"empty":                       "",
			"a space":                     " ",
			"white space of every sort":   " \t\r\n\v\f\u0085\u00a0\u2003\u2028\u3000",
			"NUL":                         "a\x00b",
			"NUL alone":                   "\x00",
			"a byte that is no UTF-8":     "a\xffb",
			"half a character":            "\xc3",
			"a surrogate, as UTF-8":       "\xed\xa0\x80",
			"an overlong slash, as UTF-8": "\xc0\xaf",
		} {
			check(t, text, name, s, "invalid")
		}
		if text != "email" {
			check(t, text, "white space around a word", " \n word \t", fine)
			check(t, text, "control characters", "\x01\x1b\x7f", fine)
			check(t, text, "an invisible character that is no white space", "\u200b", fine)
		}
	}
}

func TestUsernames(t *testing.T) {
	for name, c := range map[string]struct{ username, want string }{
		"empty":                {"", "invalid"},
		"two characters":       {"ab", "invalid"},
		"three characters":     {"abc", fine},
		"thirty characters":    {strings.Repeat("a", 30), fine},
		"thirty-one":           {strings.Repeat("a", 31), "too long"},
		"every sort":           {"azAZ09_", fine},
		"underscores alone":    {"___", fine},
		"digits alone":         {"000", fine},
		"a space inside":       {"a b", "invalid"},
		"a space behind":       {"abc ", "invalid"},
		"a hyphen":             {"a-b", "invalid"},
		"a dot":                {"a.b", "invalid"},
		"a letter with accent": {"caf\u00e9", "invalid"},
		"a letter like k":      {"\u212aelvin", "invalid"},
		"Cyrillic":             {"\u0430bc", "invalid"},
		"NUL":                  {"ab\x00", "invalid"},
		"no UTF-8":             {"ab\xff", "invalid"},
		"long and wrong":       {strings.Repeat("-", 31), "invalid"},
		"the neighbours of Z":  {"ab[", "invalid"},
		"the neighbours of a":  {"ab`", "invalid"},
		"the neighbours of 9":  {"ab:", "invalid"},
	} {
		check(t, "username", name, c.username, c.want)
	}
}

func TestEmails(t *testing.T) {
	domain := "@" + strings.Repeat("d", 50) + "." + strings.Repeat("d", 50) + ".example.org"
	for name, c := range map[string]struct{ email, want string }{
		"a common one":           {"ada@example.org", fine},
		"capitals, dots, a plus": {"Ada.Lovelace+blog@Sub.Example.ORG", fine},
		"characters of atoms":    {"!#$%&'*+-/=?^_`{|}~@example.org", fine},
		"letters beyond ASCII":   {"zoë@exämple.org", fine},
		"at 254 characters":      {strings.Repeat("x", 254-len(domain)) + domain, fine},
		"above 254 characters":   {strings.Repeat("x", 255-len(domain)) + domain, "too long"},
		"no at":                  {"ada.example.org", "invalid"},
		"nothing before the at":  {"@example.org", "invalid"},
		"nothing behind the at":  {"ada@", "invalid"},
		"two ats":                {"ada@example@org", "invalid"},
		"a name around":          {"Ada <ada@example.org>", "invalid"},
		"angle brackets":         {"<ada@example.org>", "invalid"},
		"two addresses":          {"a@example.org, b@example.org", "invalid"},
		"a space before":         {" ada@example.org", "invalid"},
		"a space behind":         {"ada@example.org ", "invalid"},
		"a line end":             {"ada@example.org\r\nBcc: b@example.org", "invalid"},
		"a comment":              {"ada@example.org (Ada)", "invalid"},
		"two dots":               {"ada..l@example.org", "invalid"},
		"a dot first":            {".ada@example.org", "invalid"},
	} {
		check(t, "email", name, c.email, c.want)
	}
}

func TestSubjects(t *testing.T) {
	for name, c := range map[string]struct{ subject, want string }{
		"one character":       {"a", fine},
		"a space":             {" ", fine},
		"an identity's URL":   {"auth0|5f7c:ünïcödé/🙂", fine},
		"at 255 bytes":        {strings.Repeat("é", 127) + "x", fine},
		"above 255 bytes":     {strings.Repeat("é", 128), "invalid"},
		"empty":               {"", "invalid"},
		"NUL":                 {"a\x00", "invalid"},
		"a line end":          {"a\n", "invalid"},
		"a control beyond C0": {"a\u0085", "invalid"},
		"no UTF-8":            {"\xff", "invalid"},
	} {
		if got := faultsOf(blog.CheckSubject(c.subject)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if got := faultsOf(blog.CreateUser{Subject: c.subject, Username: "name"}.Validate()); got != c.want {
			t.Errorf("%s, of an account: got %q, want %q", name, got, c.want)
		}
	}
}

func TestKeysOfNamesAndAddresses(t *testing.T) {
	if got := blog.UsernameKey("Ada_L09"); got != "ada_l09" {
		t.Errorf("username: %q", got)
	}
	for _, other := range []string{"\u212a", "ſ", "İda", "ÄDA", "Ａda"} { // which Unicode folds, or might
		if got := blog.UsernameKey(other + "x"); got == blog.UsernameKey("kx") || got == blog.UsernameKey("sx") || !strings.Contains(got, other[:2]) {
			t.Errorf("username: %q becomes %q", other, got)
		}
	}
	if got := blog.EmailKey("ÄDA@Example.ORG"); got != "äda@example.org" {
		t.Errorf("address: %q", got)
	}
}
