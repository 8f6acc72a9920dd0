package audit_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// Claims and users are compared both ways.
func TestVerifyComparesClaimsWithUsers(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(b *smallBlog)
		want   []string
		left   int
	}{
		"a name that nobody has claimed":    {func(b *smallBlog) { delete(b.claims[blog.UsernameClaims], "ada") }, []string{"username_claims: missing row"}, 0},
		"an address that nobody has":        {func(b *smallBlog) { delete(b.claims[blog.EmailClaims], "ada@example.org") }, []string{"email_claims: missing row"}, 0},
		"a subject that nobody has":         {func(b *smallBlog) { delete(b.claims[blog.SubjectClaims], "sAda") }, []string{"subject_claims: missing row"}, 0},
		"a former name of a user":           {func(b *smallBlog) { b.claims[blog.UsernameClaims]["former"] = b.users[0].ID }, []string{"username_claims: row too many"}, 0},
		"an address of nobody":              {func(b *smallBlog) { b.claims[blog.EmailClaims]["x@example.org"] = blog.UserID{UUID: numbered(9, 9)} }, []string{"email_claims: row too many"}, 0},
		"a name that another holds":         {func(b *smallBlog) { b.claims[blog.UsernameClaims]["ada"] = b.users[1].ID }, []string{"username_claims: missing row", "username_claims: row too many"}, 1},
		"two users of one name":             {twoOfOneName, []string{"username_claims: two owners"}, 1},
		"two users of one name, unclaimed":  {func(b *smallBlog) { twoOfOneName(b); b.claims[blog.UsernameClaims] = map[string]blog.UserID{} }, []string{"username_claims: two owners", "username_claims: two owners"}, 2},
		"the name of a user who is damaged": {func(b *smallBlog) { b.users[1].Username = "" }, []string{"email_claims: lost truth", "subject_claims: lost truth", "username_claims: lost truth"}, 3},
		"the names of a user who is lost":   {func(b *smallBlog) { loseBob(b) }, []string{"email_claims: lost truth", "subject_claims: lost truth", "username_claims: lost truth"}, 3},
		"of one who is on one list yet":     {func(b *smallBlog) { loseBob(b, blog.UsersByUsername, blog.UsersByEmail) }, []string{"email_claims: lost truth", "subject_claims: lost truth", "username_claims: lost truth"}, 3},
		"of one whom a comment names":       {func(b *smallBlog) { loseBob(b, blog.UsersByUsername, blog.UsersByEmail, blog.UsersBySubject) }, []string{"email_claims: lost truth", "subject_claims: lost truth", "username_claims: lost truth"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSmallBlog()
			b.users[1].Email = new("bob@example.org")
			b.copies = nil
			b.project()
			b.claim()
			c.damage(b)
			found, err := audit.Verifying{}.Run(t.Context(), b)
			if all := ofClaims(found); err != nil || !slices.Equal(all, c.want) {
				t.Errorf("found %q (%v)", all, err)
			}
			mended, err := audit.Verifying{Concurrency: 1, Repair: true, Force: true}.Run(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			left := 0
			for _, report := range mended.Tables {
				if strings.HasSuffix(string(report.Table), "_claims") {
					left += report.Left()
				}
			}
			if left != c.left {
				t.Errorf("%d left, want %d: %q", left, c.left, kinds(mended))
			}
		})
	}
}

func ofClaims(found audit.Verified) []string {
	return slices.DeleteFunc(kinds(found), func(d string) bool { return !strings.Contains(d, "_claims: ") })
}

// loseBob loses the second user, and what some tables have of him.
func loseBob(b *smallBlog, tables ...blog.Table) {
	bob := b.users[1].ID
	b.users = b.users[:1]
	b.copies = slices.DeleteFunc(b.copies, func(c blog.Copy) bool { return slices.Contains(tables, c.Family.Table) && c.Key[1] == bob })
}

// twoOfOneName makes the second user's name the first one's, in its copies too.
func twoOfOneName(b *smallBlog) {
	b.users[1].Username = "ADA"
	b.copies = nil
	b.project()
	delete(b.claims[blog.UsernameClaims], "bob")
}

// A claim of a user whom a command is at work on is not judged.
func TestVerifyWaitsForClaimsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSmallBlog()
		b.unfinished = ofUsers(b)
		b.claims[blog.UsernameClaims]["next"] = b.users[1].ID
		delete(b.claims[blog.EmailClaims], "ada@example.org")
		found, err := audit.Verifying{}.Run(t.Context(), b)
		if err != nil || found.Drifted() > 0 || found.InFlight() != 2 {
			t.Errorf("%d in flight, %q drifted (%v)", found.InFlight(), kinds(found), err)
		}
	})
}
