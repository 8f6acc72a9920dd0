package embedded

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// The tables of claims.
var (
	usernameClaims = tables[blog.UsernameClaims]
	emailClaims    = tables[blog.EmailClaims]
	subjectClaims  = tables[blog.SubjectClaims]
)

// lossy lists the tables and what comes of the loss of each: whether a repair builds it
// anew.
var lossy = func() map[*table]bool {
	all := map[*table]bool{
		usersByID: false, postsByID: false, commentsByPost: false,
		usernameClaims: true, emailClaims: true, subjectClaims: true,
	}
	for _, d := range blog.Declarations {
		if d.MakesRows() && tables[d.Table] != nil && d.Table != blog.HomeByUser { // TestHomesAreMended
			all[tables[d.Table]] = true
		}
	}
	for _, k := range blog.ReactionKinds {
		all[tables[k.Table]] = false
	}
	return all
}()

// Each table is lost in turn. A repair builds it anew where truths tell what was in it;
// else it names the loss, and deletes nothing: with the table back all is well again.
func TestRepairSurvivesTheLossOfAnyTable(t *testing.T) {
	for lost, rebuilt := range lossy {
		t.Run(string(lost.name), func(t *testing.T) {
			s, _ := storeWithEverything(t)
			before := map[*table][]cell{}
			for table := range lossy {
				before[table] = s.cells(t, table)
			}
			if err := s.db.DeleteRange([]byte{lost.prefix}, []byte{lost.prefix + 1}, pebble.Sync); err != nil {
				t.Fatal(err)
			}
			mended, err := audit.Verifying{Repair: true, Plan: func(plan []audit.Deletion) { t.Errorf("is about to delete %v", plan) }}.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			for table, cells := range before {
				if table != lost || rebuilt {
					wantCells(t, s, table, cells)
				}
			}
			switch {
			case rebuilt && (mended.Left() > 0 || mended.Repaired() == 0):
				t.Errorf("%d repaired, %d left", mended.Repaired(), mended.Left())
			case !rebuilt && len(before[lost]) > 0:
				wantLoss(t, mended)
				for _, c := range before[lost] {
					if err := s.db.Set(c.key, c.value, pebble.Sync); err != nil {
						t.Fatal(err)
					}
				}
			}
			if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() > 0 {
				t.Errorf("%d drifted in the end: %v", found.Drifted(), err)
			}
		})
	}
}

// wantCells checks that cells are as they were, but for stamps.
func wantCells(t *testing.T, s *Store, table *table, want []cell) {
	t.Helper()
	got := s.cells(t, table)
	for i, c := range want {
		if i >= len(got) || !bytes.Equal(got[i].key, c.key) || decode(string(got[i].value)).unread != decode(string(c.value)).unread {
			t.Errorf("%s: the repair has changed its cells: %d, before %d", table.name, len(got), len(want))
			return
		}
	}
}

// wantLoss checks that truths are told to be lost, and that nothing else is left.
func wantLoss(t *testing.T, mended audit.Verified) {
	t.Helper()
	lost := 0
	for _, report := range mended.Tables {
		lost += report.Kinds[audit.LostTruth]
		for _, d := range report.Examples {
			if d.Kind != audit.LostTruth || d.Left == "" {
				t.Errorf("found %+v", d)
			}
		}
	}
	if lost == 0 || lost != mended.Left() {
		t.Errorf("%d lost truths are told, %d left", lost, mended.Left())
	}
}

// Copies whose truth is lost go where that is wanted, truths never.
func TestForcedRepairAfterALossKeepsTruths(t *testing.T) {
	s, p := storeWithEverything(t)
	truths := map[*table][]cell{commentsByPost: s.cells(t, commentsByPost), tables[blog.LikeClaims]: s.cells(t, tables[blog.LikeClaims]), usernameClaims: s.cells(t, usernameClaims)}
	if err := s.db.DeleteRange([]byte{postsByID.prefix}, []byte{postsByID.prefix + 1}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	var plan []audit.Deletion
	mended, err := audit.Verifying{Repair: true, Force: true, Plan: func(p []audit.Deletion) { plan = p }}.Run(t.Context(), s)
	if err != nil || mended.Left() == 0 || len(plan) == 0 {
		t.Errorf("%d left after %v: %v", mended.Left(), plan, err)
	}
	for table, cells := range truths {
		wantCells(t, s, table, cells)
	}
	if posts, err := s.PostsByAuthor(t.Context(), p.Author.ID, blog.FirstPage[blog.PostID](5)); err != nil || len(posts.Items) > 0 {
		t.Errorf("%d posts are listed that are not there: %v", len(posts.Items), err)
	}
}

// With the claims gone a name is free to be taken again; a repair gives everybody back
// what they have, and then it isn't.
func TestRepairGivesClaimsBack(t *testing.T) {
	s, _ := storeWithEverything(t)
	for _, claims := range []*table{usernameClaims, emailClaims, subjectClaims} {
		if err := s.db.DeleteRange([]byte{claims.prefix}, []byte{claims.prefix + 1}, pebble.Sync); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() != 5 {
		t.Fatalf("%d drifted, want two names, two subjects and an address: %v", found.Drifted(), err)
	}
	if mended, err := (audit.Verifying{Repair: true}).Run(t.Context(), s); err != nil || mended.Repaired() != 5 || mended.Left() > 0 {
		t.Fatalf("%d repaired, %d left: %v", mended.Repaired(), mended.Left(), err)
	}
	email := "BOB@example.org"
	for _, c := range []blog.CreateUser{{Subject: "eve", Username: "Bob"}, {Subject: "bob", Username: "eve"}, {Subject: "eve", Username: "eve", Email: &email, ProvedEmail: email}} {
		if _, err := s.CreateUser(t.Context(), c); blog.KindOf(err) != blog.Taken {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A claim that its owner has no use for is released: of a user with another name, and of
// one of whom there is nothing at all.
func TestRepairReleasesLeakedClaims(t *testing.T) {
	s, p := storeWithEverything(t)
	nobody := p.Author.ID
	nobody.UUID[15] ^= 0x55
	for key, owner := range map[string]blog.UserID{"former": p.Author.ID, "unborn": nobody} {
		if err := s.db.Set(usernameClaims.cellKey(truthCell, key), encode(0, owner), pebble.Sync); err != nil {
			t.Fatal(err)
		}
	}
	mended, err := audit.Verifying{Repair: true}.Run(t.Context(), s)
	if err != nil || mended.Repaired() != 2 || mended.Left() > 0 {
		t.Fatalf("%d repaired, %d left: %v", mended.Repaired(), mended.Left(), err)
	}
	for _, name := range []string{"Former", "Unborn"} {
		if _, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of two users with one name nobody can tell whose it is.
func TestTwoUsersOfOneNameAreNamed(t *testing.T) {
	s, p := storeWithEverything(t)
	bob, err := s.UserByUsername(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	for _, claimed := range []bool{true, false} {
		bob.Username = "ALICE"
		if err := s.db.Set(usersByID.cellKey(truthCell, bob.ID), encodeFamily(blog.UserTruths, bob.Stamp, bob), pebble.Sync); err != nil {
			t.Fatal(err)
		}
		if !claimed {
			if err := s.db.Delete(usernameClaims.cellKey(truthCell, "alice"), pebble.Sync); err != nil {
				t.Fatal(err)
			}
		}
		mended, err := audit.Verifying{Repair: true, Force: true}.Run(t.Context(), s)
		if err != nil || mended.Left() == 0 {
			t.Fatalf("%d left: %v", mended.Left(), err)
		}
		for _, report := range mended.Tables {
			for _, d := range report.Examples {
				if d.Left != "" && (d.Kind != audit.TwoOwners || !strings.Contains(d.Problem, bob.ID.String()) || !strings.Contains(d.Problem, p.Author.ID.String())) {
					t.Errorf("claimed %t: %+v", claimed, d)
				}
			}
		}
		owner, err := truths{of: s}.get(t.Context(), usernameClaims, truthCell, "alice")
		if err != nil || (owner != "") != claimed {
			t.Errorf("claimed %t: the claim is %q (%v)", claimed, owner, err)
		}
	}
}

// Truths that contradict themselves are named, each once, and what follows from them is
// left as it is.
func TestVerifyNamesContradictions(t *testing.T) {
	for name, c := range map[string]struct {
		table  blog.Table
		damage func(s *Store, p blog.Post) error
	}{
		"a post with another's content": {blog.PostsByID, func(s *Store, p blog.Post) error {
			return s.db.Set(postsByID.cellKey(contentCell, p.ID), encode(p.Stamp, "what somebody else has written"), pebble.Sync)
		}},
		"a post without its content": {blog.PostsByID, func(s *Store, p blog.Post) error {
			return s.db.Delete(postsByID.cellKey(contentCell, p.ID), pebble.Sync)
		}},
		"a post without a version": {blog.PostsByID, func(s *Store, p blog.Post) error {
			p.Version = 0
			return s.db.Set(postsByID.cellKey(truthCell, p.ID), encodeFamily(blog.PostText, p.Stamp, p), pebble.Sync)
		}},
		"a user without a stamp": {blog.UsersByID, func(s *Store, p blog.Post) error {
			u, err := s.UserByID(t.Context(), p.Author.ID)
			if u.Stamp = 0; err != nil {
				return err
			}
			return s.db.Set(usersByID.cellKey(truthCell, u.ID), encodeFamily(blog.UserTruths, u.Stamp, u), pebble.Sync)
		}},
		"a comment without its edits": {blog.CommentsByPost, func(s *Store, p blog.Post) error {
			comments, err := s.CommentsByPost(t.Context(), blog.CommentsQuery{Post: p.ID, Page: blog.FirstPage[blog.CommentID](1)})
			if err != nil {
				return err
			}
			damaged := comments.Items[0]
			damaged.Version = 0
			return s.db.Set(commentsByPost.cellKey(truthCell, p.ID, damaged.ID), encodeFamily(blog.CommentText, 7, damaged), pebble.Sync)
		}},
		"a count without a stamp": {blog.LikeClaims, func(s *Store, p blog.Post) error {
			return s.db.Set(tables[blog.LikeClaims].cellKey(countCell, p.ID), encode(0, 2), pebble.Sync)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, p := storeWithEverything(t)
			if err := c.damage(s, p); err != nil {
				t.Fatal(err)
			}
			before := s.cells(t, tables[blog.PostsByAuthor])
			mended, err := audit.Verifying{Repair: true}.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			named := 0
			for _, report := range mended.Tables {
				if named += report.Kinds[audit.Contradiction]; report.Kinds[audit.Contradiction] > 0 && report.Table != c.table {
					t.Errorf("found %+v", report)
				}
			}
			if named != 1 || mended.Left() == 0 {
				t.Errorf("%d contradictions are named, %d left", named, mended.Left())
			}
			wantCells(t, s, tables[blog.PostsByAuthor], before)
		})
	}
}
