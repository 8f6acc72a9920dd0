package audit_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

func TestWhatARepairDeletesUnasked(t *testing.T) {
	for _, c := range []struct {
		rows, of int
		refused  bool
	}{
		{1, 1, false}, {10, 10, false}, {11, 11, true}, {11, 1_099, true}, {11, 1_100, false}, {1_000, 100_000, false}, {1_001, 100_000, true},
	} {
		if d := (audit.Deletion{Table: blog.FeedByBucket, Rows: c.rows, Of: c.of}); d.Refused() != c.refused {
			t.Errorf("%d of %d: refused %t", c.rows, c.of, d.Refused())
		}
	}
}

// tooMany has so many posts too many in the feed, which are known to have ended.
func tooMany(rows int) *smallBlog {
	b := newSmallBlog()
	b.remembers = true
	b.addToFeed(rows)
	return b
}

func (b *smallBlog) addToFeed(rows int) {
	feed := b.copies[b.find(blog.FeedPost, []any{b.posts[0].Feed.Bucket, b.posts[0].Feed.Shard, b.posts[0].ID})]
	for i := range rows {
		feed.Key = slices.Clone(feed.Key)
		feed.Key[2] = blog.PostID{UUID: numbered(3, i)}
		b.copies = append(b.copies, feed)
	}
}

// What is to be deleted is told before anything is, and where it is much nothing is, in
// no table; all else is mended.
func TestARepairDeletesLittleUnasked(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     int
		force    bool
		repaired int // of the rows, one more in another table, and one that is stale
	}{
		{"ten rows", 10, false, 12},
		{"eleven rows", 11, false, 1},
		{"eleven rows, forced", 11, true, 13},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := tooMany(c.rows)
			i := b.find(blog.AuthorComment, []any{b.users[0].ID, b.comments[0].ID})
			b.copies[i].Values = another(b.copies[i].Values)
			leaked := b.users[0].ID
			b.claims[blog.UsernameClaims]["former"] = leaked
			var plan []audit.Deletion
			mended, err := audit.Verifying{Concurrency: 1, Repair: true, Force: c.force, Plan: func(p []audit.Deletion) {
				if plan = p; slices.ContainsFunc(b.repaired, func(d audit.Drift) bool { return d.Deletes > 0 }) {
					t.Errorf("deleted before it was told: %v", b.repaired)
				}
			}}.Run(t.Context(), b)
			if err != nil || mended.Repaired() != c.repaired || mended.Drifted() != c.rows+2 {
				t.Errorf("%d repaired of %d (%v)", mended.Repaired(), mended.Drifted(), err)
			}
			want := []audit.Deletion{{Table: blog.FeedByBucket, Rows: c.rows, Of: c.rows + 2}, {Table: blog.UsernameClaims, Rows: 1, Of: 3}}
			if !slices.Equal(plan, want) {
				t.Errorf("told of %v, want %v", plan, want)
			}
			if _, held := b.claims[blog.UsernameClaims]["former"]; held != (c.repaired == 1) {
				t.Errorf("the leaked claim is held: %t", held)
			}
			for _, table := range mended.Tables {
				for _, d := range table.Examples {
					if d.Left != "" && !strings.Contains(d.Left, "more than a hundredth") {
						t.Errorf("left: %+v", d)
					}
				}
			}
		})
	}
}

// What was to be deleted with a post is kept if commands are at work on it by then: it is not mended.
func TestARepairKeepsWhatMovesBeforeItIsDeleted(t *testing.T) {
	b := newSmallBlog()
	b.remembers = true
	b.posts = b.posts[1:] // the first is deleted
	mended, err := audit.Verifying{Concurrency: 1, Repair: true, Plan: func([]audit.Deletion) { b.moving = true }}.Run(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, report := range mended.Tables {
		for _, d := range report.Examples {
			if d.Kind != audit.Orphan {
				continue
			}
			if kept++; !strings.Contains(d.Left, "changed before") || report.Left() != 1 {
				t.Errorf("%s: %d left, %+v", report.Table, report.Left(), d)
			}
		}
	}
	if kept != len(blog.AboutPost.Counted()) || mended.Left() != kept || slices.ContainsFunc(b.repaired, audit.Drift.OfTally) {
		t.Errorf("%d tables have rows below the deleted post, %d are left; repaired: %v", kept, mended.Left(), b.repaired)
	}
}

// Copies of which nothing is known may be all that is left: they are kept unless the
// repair is forced, and truths even then.
func TestARepairKeepsWhatATruthCouldBeRestoredFrom(t *testing.T) {
	for table, lose := range map[blog.Table]func(b *smallBlog){
		blog.UsersByID:      func(b *smallBlog) { b.users = nil },
		blog.PostsByID:      func(b *smallBlog) { b.posts = nil },
		blog.CommentsByPost: func(b *smallBlog) { b.comments = nil; b.lose(0) },
		blog.LikeClaims:     func(b *smallBlog) { b.likes = nil; b.lose(1) },
	} {
		b := newSmallBlog()
		lose(b)
		b.copies = slices.DeleteFunc(b.copies, func(c blog.Copy) bool { return c.Family.Table == table })
		before, claims := len(b.copies), len(b.claims[blog.UsernameClaims])
		kept, err := audit.Verifying{Concurrency: 1, Repair: true, Plan: func(plan []audit.Deletion) { t.Errorf("%s is lost: is about to delete %v", table, plan) }}.Run(t.Context(), b)
		if err != nil || kept.Left() == 0 || kept.Left() != kept.Drifted() || len(b.copies) != before {
			t.Errorf("%s is lost: %d of %d left, %d copies of %d (%v)", table, kept.Left(), kept.Drifted(), len(b.copies), before, err)
		}
		for _, report := range kept.Tables {
			if report.Kinds[audit.LostTruth] != report.Drifted {
				t.Errorf("%s is lost: found %+v", table, report)
			}
		}
		forced, err := audit.Verifying{Concurrency: 1, Repair: true, Force: true}.Run(t.Context(), b)
		if err != nil || forced.Repaired() == 0 || len(b.claims[blog.UsernameClaims]) != claims {
			t.Errorf("%s is lost, forced: %d repaired, %d claims of %d (%v)", table, forced.Repaired(), len(b.claims[blog.UsernameClaims]), claims, err)
		}
		for _, d := range b.repaired {
			if d.Deletes > 0 && !slices.ContainsFunc(d.Table.Families(), func(g *blog.Family) bool { return g.Row }) {
				t.Errorf("%s is lost: a truth was deleted: %+v", table, d)
			}
		}
	}
}

// lose takes the counts of comments, or of likes, away.
func (b *smallBlog) lose(which int) {
	for post, counts := range b.counts {
		counts[which] = blog.Count{}
		b.counts[post] = counts
	}
}

// A repair that is cut off tells what it has done, and a second one goes on.
func TestARepairThatIsCutOff(t *testing.T) {
	b := tooMany(10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.repairing = func(d audit.Drift) {
		if len(b.repaired) == 4 {
			cancel()
		}
	}
	var reported []audit.TableReport
	cut, err := audit.Verifying{Concurrency: 1, Repair: true, Report: func(r audit.TableReport) { reported = append(reported, r) }}.Run(ctx, b)
	if !errors.Is(err, context.Canceled) || cut.Repaired() == 0 || cut.Left() == 0 || cut.Drifted() != 10 {
		t.Errorf("%d repaired, %d left of %d (%v)", cut.Repaired(), cut.Left(), cut.Drifted(), err)
	}
	if !reflect.DeepEqual(inOrder(reported), cut.Tables) {
		t.Errorf("reported %+v, returned %+v", reported, cut.Tables)
	}
	b.repairing = nil
	rest, err := audit.Verifying{Concurrency: 1, Repair: true}.Run(t.Context(), b)
	if err != nil || rest.Left() > 0 || rest.Drifted() != 6 {
		t.Errorf("then %d repaired of %d, want the six that were left (%v)", rest.Repaired(), rest.Drifted(), err)
	}
}
