package audit

import (
	"slices"
	"testing"

	"broadsheet/blog"
)

// What has no kind would be summed and never looked at: give it one in subjects.go.
func TestEverySubjectHasItsKind(t *testing.T) {
	for _, d := range blog.Declarations {
		if kindOf(d.About, d.Table) == nil && d.About != blog.AboutClaim {
			t.Errorf("verify does not look at rows about the subject %d, as %s has", d.About, d.Table)
		}
		if d.Table.CountsRows() && !slices.Contains(TruthTables(), d.Table) {
			t.Errorf("nothing judges the truths of %s", d.Table)
		}
	}
	for _, g := range blog.Groups() {
		if g.Truth != blog.UserTruth && TableOf(g.Truth) == "" {
			t.Errorf("no kind has the truth %q, which %s follows from", g.Truth, g.Table)
		}
	}
}
