package audit

import (
	"slices"
	"testing"

	"broadsheet/blog"
)

// Rows about what is no subject with truths would be summed and never looked at.
func TestEverySubjectHasTruths(t *testing.T) {
	for _, d := range blog.Declarations {
		if d.About != nil && d.About != blog.AboutClaim && d.About != blog.AboutHomed && !slices.Contains(blog.Subjects, d.About) {
			t.Errorf("verify does not look at what the rows of %s are about", d.Table)
		}
	}
	for _, g := range blog.Families() {
		if g.Truth != blog.UserTruth && g.Truth != blog.HomeTruth && !slices.ContainsFunc(blog.Subjects, func(s *blog.Subject) bool { return s.Truth == g.Truth }) {
			t.Errorf("no subject has the truth %q, which %s follows from", g.Truth, g.Table)
		}
	}
}
