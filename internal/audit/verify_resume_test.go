package audit_test

import (
	"context"
	"slices"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// A repair that is cut off anywhere goes on with the tables that were not done, and the reports of both runs together
// count each row once.
func TestARepairGoesOn(t *testing.T) {
	damage := func() *smallBlog {
		b := tooMany(3)
		for _, g := range []*blog.Family{blog.UsernameCard, blog.AuthorPost, blog.AuthorComment, blog.PostLike} {
			i := slices.IndexFunc(b.copies, func(c blog.Copy) bool { return c.Family == g })
			b.copies[i].Values = another(b.copies[i].Values)
		}
		b.claims[blog.UsernameClaims]["former"] = b.users[0].ID
		return b
	}
	whole, err := audit.Verifying{Repair: true, Concurrency: 1}.Run(t.Context(), damage())
	if err != nil || whole.Left() > 0 || whole.Repaired() != 8 {
		t.Fatalf("%d repaired, %d left (%v)", whole.Repaired(), whole.Left(), err)
	}
	for stop := 1; stop <= whole.Repaired(); stop++ {
		b := damage()
		ctx, cancel := context.WithCancel(t.Context())
		var mended []audit.Drift
		var done []audit.TableReport
		note := func(d audit.Drift) {
			if mended = append(mended, d); len(mended) == stop {
				cancel()
			}
		}
		report := func(r audit.TableReport) {
			if !r.CutOff {
				done = append(done, r)
			}
		}
		_, err := audit.Verifying{Repair: true, Concurrency: 1, Note: note, Report: report}.Run(ctx, b)
		if stop < whole.Repaired() && err == nil {
			t.Fatalf("it was not cut off after %d", stop)
		}
		left := slices.DeleteFunc(blog.Tables(), func(table blog.Table) bool {
			return slices.ContainsFunc(done, func(r audit.TableReport) bool { return r.Table == table })
		})
		if stop > 1 && len(left) == len(blog.Tables()) {
			t.Errorf("after %d rows no table was done", stop)
		}
		second, err := audit.Verifying{Repair: true, Concurrency: 1, Tables: left, Mended: mended}.Run(t.Context(), b)
		both := audit.Verified{Tables: append(second.Tables, done...)}
		if err != nil || both.Repaired() != whole.Repaired() || both.Left() > 0 || len(both.Tables) != len(whole.Tables) {
			t.Errorf("cut off after %d: %d repaired of %d, %d left, %d tables (%v)", stop, both.Repaired(), whole.Repaired(), both.Left(), len(both.Tables), err)
		}
		if found := drifts(t, b); len(found) > 0 {
			t.Errorf("cut off after %d: %q", stop, found)
		}
	}
}
