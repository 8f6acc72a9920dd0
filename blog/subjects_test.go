package blog_test

import (
	"strings"
	"testing"

	"broadsheet/blog"
)

// Whatever two issuers name their subjects, no two are one account's, and none is one of the store's own.
func TestSubjectsOfTwoIssuersAreNeverOne(t *testing.T) {
	issuers := []string{"", "https://a.example", "https://a.example alice", "a", "https://b.example"}
	subs := []string{"alice", " alice", "a", "https://a.example alice", "https://a.example", "x" + strings.Repeat("ä", 100)}
	seen := map[string][2]string{}
	for _, issuer := range issuers {
		for _, sub := range subs {
			subject := blog.SubjectOf(issuer, sub)
			if other, twice := seen[subject]; twice {
				t.Errorf("%q of %q is %q of %q", sub, issuer, other[1], other[0])
			}
			seen[subject] = [2]string{issuer, sub}
			if i, s := blog.SplitSubject(subject); i != issuer || s != sub {
				t.Errorf("%q is told as %q of %q", subject, s, i)
			}
			if err := (blog.RelinkUser{Subject: subject}).Validate(); err != nil {
				t.Errorf("%q: %v", subject, err)
			}
		}
	}
	long := "https://" + strings.Repeat("x", blog.MaxIssuerBytes)
	for _, subject := range []string{"", "\x1falice", "https://a.example\x1f", "a\x1fb\x1fc", "a\x1f\x1fc", blog.SubjectOf(long, "a"), blog.SubjectOf("a", long), "a\x00", blog.SubjectOf("\xff", "a")} {
		if err := (blog.RelinkUser{Subject: subject}).Validate(); err == nil || blog.KindOf(err) != blog.Invalid {
			t.Errorf("%q: %v", subject, err)
		}
	}
	for _, s := range []string{"a\x1fb", "", "a\nb"} { // what tokens may have
		if blog.CheckSubject(s) == nil || blog.CheckIssuer(s) == nil {
			t.Errorf("%q is taken", s)
		}
	}
}
