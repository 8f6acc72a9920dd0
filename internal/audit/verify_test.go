package audit_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// drifts verifies and returns "table: kind" of every disagreement.
func drifts(t *testing.T, b *smallBlog) []string {
	t.Helper()
	found, err := audit.Verifying{}.Run(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if n := found.InFlight(); n > 0 {
		t.Errorf("%d rows in flight", n)
	}
	return kinds(found)
}

func kinds(found audit.Verified) (all []string) {
	for _, table := range found.Tables {
		for _, d := range table.Examples {
			all = append(all, fmt.Sprintf("%s: %s", d.Table, d.Kind))
		}
	}
	slices.Sort(all)
	return all
}

func TestVerifyFindsNothingInAWholeBlog(t *testing.T) {
	b := newSmallBlog()
	if found := drifts(t, b); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	covered := map[*blog.Family]bool{}
	for _, c := range b.copies {
		covered[c.Family] = true
	}
	if len(covered) != len(blog.Families()) {
		t.Errorf("the test has copies of %d families, of %d", len(covered), len(blog.Families()))
	}
}

// Every copy is damaged in turn, in every way; the damage is named, and mended.
func TestVerifyFindsAndMendsEachKindOfDamageInEachCopy(t *testing.T) {
	for i, c := range newSmallBlog().copies {
		for name, damage := range map[string]struct {
			do    func(b *smallBlog)
			kinds []audit.DriftKind
		}{
			"it lacks":               {func(b *smallBlog) { b.copies = slices.Delete(b.copies, i, i+1) }, []audit.DriftKind{audit.MissingCells, audit.MissingRow}},
			"it holds another value": {func(b *smallBlog) { b.copies[i].Values = another(c.Values) }, []audit.DriftKind{audit.StaleValue, audit.WrongCount}},
			"one too many stands": {func(b *smallBlog) {
				b.remembers = true
				b.copies = append(b.copies, blog.Copy{Family: c.Family, Key: another(c.Key), Values: c.Values})
			}, []audit.DriftKind{audit.RowTooMany, audit.Ghost}},
		} {
			if c.Family.Table == blog.HomeByUser && name == "one too many stands" {
				continue // and is no harm
			}
			b := newSmallBlog()
			want := append([]blog.Copy(nil), b.copies...)
			damage.do(b)
			found := drifts(t, b)
			if len(found) != 1 || !slices.ContainsFunc(damage.kinds, func(k audit.DriftKind) bool { return found[0] == fmt.Sprintf("%s: %s", c.Family.Table, k) }) {
				t.Errorf("%s %v, %s: found %q", c.Family.Table, c.Family.Columns, name, found)
			}
			mended, err := audit.Verifying{Repair: true}.Run(t.Context(), b)
			if b.audits != 0 {
				t.Errorf("%s %v, %s: %d audits stay open", c.Family.Table, c.Family.Columns, name, b.audits)
			}
			if err != nil || mended.Left() > 0 || mended.Repaired() != 1 {
				t.Errorf("%s %v, %s: %d mended, %d left (%v)", c.Family.Table, c.Family.Columns, name, mended.Repaired(), mended.Left(), err)
			}
			for _, c := range want {
				if i := b.find(c.Family, c.Key); i < 0 || !audit.SameValues(b.copies[i].Values, c.Values) {
					t.Errorf("%s %v, %s: the repair has not brought it back", c.Family.Table, c.Family.Columns, name)
				}
			}
			if len(b.copies) != len(want) {
				t.Errorf("%s %v, %s: %d copies after the repair, %d before", c.Family.Table, c.Family.Columns, name, len(b.copies), len(want))
			}
		}
	}
}

// another returns the values with the last one changed.
func another(values []any) []any {
	values = slices.Clone(values)
	last := &values[len(values)-1]
	switch x := (*last).(type) {
	case string:
		*last = x + "x"
	case *string:
		*last = new("another")
	case int:
		*last = x + 1
	case bool:
		*last = !x
	case time.Time:
		*last = x.Add(time.Millisecond)
	case blog.UserID:
		x.UUID[15] ^= 0x55
		*last = x
	case blog.PostID:
		x.UUID[15] ^= 0x55
		*last = x
	case blog.CommentID:
		x.UUID[15] ^= 0x55
		*last = x
	case blog.FollowedID:
		x.UUID[15] ^= 0x55
		*last = x
	case blog.GroupID:
		x.UUID[15] ^= 0x55
		*last = x
	case blog.Path:
		if x == "" {
			x = blog.PathOf(blog.CommentID{UUID: blog.FirstUUIDAt(noon)})
		}
		*last = x[:len(x)-1] + blog.Path(x[len(x)-1]^0x55)
	}
	return values
}

func TestVerifyComparesCountsWithRows(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(b *smallBlog, counts *[2]blog.Count)
		want   []string
	}{
		"a comment count too high": {
			func(_ *smallBlog, counts *[2]blog.Count) { counts[0].N = 3 },
			[]string{"comments_by_post: wrong count", "feed_by_bucket: wrong count", "posts_by_author: wrong count", "posts_by_group: wrong count", "posts_by_id: wrong count"},
		},
		"a like count too low": {
			func(_ *smallBlog, counts *[2]blog.Count) { counts[1].N = 1 },
			[]string{"feed_by_bucket: wrong count", "like_claims: wrong count", "likes_by_post: wrong count", "posts_by_author: wrong count", "posts_by_group: wrong count", "posts_by_id: wrong count"},
		},
		"a like that was taken back without its count": {
			func(b *smallBlog, _ *[2]blog.Count) { b.likes, b.remembers = b.likes[:1], true },
			[]string{"like_claims: wrong count", "likes_by_post: row too many", "likes_by_user: row too many", "likes_by_user_and_time: row too many", "likes_by_user_and_year: row too many"},
		},
	} {
		b := newSmallBlog()
		counts := b.counts[b.posts[0].ID]
		c.damage(b, &counts)
		b.counts[b.posts[0].ID] = counts
		if found := drifts(t, b); !slices.Equal(found, c.want) {
			t.Errorf("%s: found %q", name, found)
		}
	}
}

func TestVerifyFindsWhatIsLeftOfAPostThatIsGone(t *testing.T) {
	b := newSmallBlog()
	b.posts, b.remembers = b.posts[1:], true
	found := drifts(t, b)
	for _, want := range []string{"comments_by_post: orphan", "like_claims: orphan", "comments_by_author: row too many", "likes_by_user: row too many", "posts_by_author: row too many", "posts_by_id: ghost"} {
		if !slices.Contains(found, want) {
			t.Errorf("%s was not found: %q", want, found)
		}
	}
}

// What a command that has not ended may yet change is not called drift, whatever
// else it does; what it does not touch is.
func TestVerifyWaitsForWhatIsInFlight(t *testing.T) {
	for name, c := range map[string]struct {
		unfinished func(b *smallBlog) audit.Unfinished
		family     *blog.Family
		inFlight   bool
	}{
		"a count of a post":          {ofPost, blog.FeedPostLikeCount, true},
		"a comment of a post":        {ofPost, blog.AuthorComment, true},
		"a like of a post":           {ofPost, blog.UserLike, true},
		"a user's card":              {ofUsers, blog.SubjectCard, true},
		"a user's name on a list":    {ofUsers, blog.AuthorPostsName, true},
		"a user's name by a comment": {ofUsers, blog.CommentName, true},
		"a user's name by a comment, while another is renamed": {
			func(b *smallBlog) audit.Unfinished {
				c := b.comments[0]
				other := slices.IndexFunc(b.users, func(u blog.User) bool { return u.ID != c.Author.ID })
				return audit.Unfinished{Users: map[blog.UserID]bool{b.users[other].ID: true}}
			}, blog.CommentName, false},
		"a title, while its author likes another post": {ofUsers, blog.AuthorPost, false},
		"a card, while a post is liked":                {ofPost, blog.EmailCard, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newSmallBlog()
				b.unfinished = c.unfinished(b)
				i := slices.IndexFunc(b.copies, func(copy blog.Copy) bool { return copy.Family == c.family })
				b.copies[i].Values = another(b.copies[i].Values)
				found, err := audit.Verifying{}.Run(t.Context(), b)
				if err != nil || c.inFlight != (found.InFlight() == 1) || c.inFlight != (found.Drifted() == 0) {
					t.Errorf("%d in flight, %q drifted (%v)", found.InFlight(), kinds(found), err)
				}
			})
		})
	}
}

// A rename may have passed rows that were not there yet. Whoever builds them waits for its end.
func TestPatienceWithRenames(t *testing.T) {
	for family, patient := range map[*blog.Family]bool{blog.CommentName: true, blog.FeedPostLikeCount: false} {
		synctest.Test(t, func(t *testing.T) {
			b := newSmallBlog()
			i := slices.IndexFunc(b.copies, func(c blog.Copy) bool { return c.Family == family })
			b.copies[i].Values = another(b.copies[i].Values)
			b.unfinished = audit.Unfinished{Users: ofUsers(b).Users, Parents: ofPost(b).Parents}
			began := time.Now()
			b.arriving = func(b *smallBlog) {
				if time.Since(began) > time.Minute {
					b.unfinished = audit.Unfinished{}
				}
			}
			found, err := audit.Verifying{Patient: true}.Run(t.Context(), b)
			if waited := time.Since(began) > time.Minute; err != nil || waited != patient || (found.Drifted() == 1) != patient || (found.InFlight() == 0) != patient {
				t.Errorf("%v: %d drifted, %d in flight, %v later (%v)", family.Columns, found.Drifted(), found.InFlight(), time.Since(began), err)
			}
		})
	}
}

func ofPost(b *smallBlog) audit.Unfinished {
	return audit.Unfinished{Parents: map[blog.UUID]bool{b.posts[0].ID.UUID: true}}
}

func ofUsers(b *smallBlog) audit.Unfinished {
	return audit.Unfinished{Users: map[blog.UserID]bool{b.users[0].ID: true, b.users[1].ID: true}}
}

// A command that ends between the first look and the reading of those that have not
// ended has brought its copies by the second look.
func TestVerifyLooksAgain(t *testing.T) {
	b := newSmallBlog()
	i := slices.IndexFunc(b.copies, func(c blog.Copy) bool { return c.Family == blog.FeedPost })
	late := b.copies[i]
	b.copies = slices.Delete(b.copies, i, i+1)
	b.arriving = func(b *smallBlog) { b.add([]blog.Copy{late}) }
	if found := drifts(t, b); len(found) > 0 {
		t.Errorf("found %q", found)
	}
}

// A truth that was written again meanwhile, if with the same values, is one whose copies may
// be on their way.
func TestVerifyWaitsForTheCopiesOfATruthThatMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSmallBlog()
		i := slices.IndexFunc(b.copies, func(c blog.Copy) bool { return c.Family == blog.FeedPostCommentCount })
		b.copies[i].Values = another(b.copies[i].Values)
		post, looks := b.posts[0].ID, 0
		b.arriving = func(b *smallBlog) {
			switch looks++; looks {
			case 1: // a comment came and went
				counts := b.counts[post]
				counts[0].Stamp++
				b.counts[post] = counts
			case 2:
				b.project()
			}
		}
		if found := drifts(t, b); len(found) > 0 || looks != 2 {
			t.Errorf("found %q after %d looks", found, looks)
		}
	})
}

// Where an author can't be read, the copies of the name can't be told.
func TestCopiesOfAnAuthorWhoCannotBeRead(t *testing.T) {
	b := newSmallBlog()
	for _, c := range b.copies {
		b.nameless = errors.New("away")
		var post blog.PostID
		if c.Family.Table == blog.CommentsByAuthor {
			post = b.posts[0].ID
		}
		copies, err := audit.RowCopies(t.Context(), b, c.Family.Table, c.Key, post)
		named := c.Family.Table != blog.HomeByUser && !(c.Family.Static() && c.Family.Truth == blog.MembersTruth) // in which there is no name
		if named && !errors.Is(err, b.nameless) {
			t.Errorf("%s %v: %v, %v", c.Family.Table, c.Family.Columns, copies, err)
		}
	}
}

func TestVerifyAllowsANameAboveAnEmptyList(t *testing.T) {
	b := newSmallBlog()
	bob := b.users[1].Name()
	b.add(blog.NamesAboveLists(bob))
	if found := drifts(t, b); len(found) > 0 {
		t.Errorf("his own name: found %q", found)
	}
	i := b.find(blog.AuthorPostsName, []any{bob.User})
	b.copies[i].Values[0] = "Robert"
	if found := drifts(t, b); len(found) != 1 {
		t.Errorf("another name: found %q", found)
	}
}

// A comment's row that names another post is mended, not taken for one too many.
func TestACommentThatNamesAnotherPostIsKept(t *testing.T) {
	b := newSmallBlog()
	i := slices.IndexFunc(b.copies, func(c blog.Copy) bool { return c.Family == blog.AuthorComment })
	values := slices.Clone(b.copies[i].Values)
	values[0] = b.posts[1].ID
	b.copies[i].Values = values
	if found := drifts(t, b); !slices.Equal(found, []string{"comments_by_author: stale value"}) {
		t.Errorf("found %q", found)
	}
	if _, err := (audit.Verifying{Repair: true}).Run(t.Context(), b); err != nil || len(b.repaired) != 1 {
		t.Errorf("repaired %v (%v)", b.repaired, err)
	}
	if found := drifts(t, b); len(found) > 0 {
		t.Errorf("after the repair: %q", found)
	}
}

func TestVerifySaysWhyARepairFailed(t *testing.T) {
	b := newSmallBlog()
	b.counts[b.posts[0].ID] = [2]blog.Count{{N: 9, Stamp: 7}, b.counts[b.posts[0].ID][1]}
	found, err := audit.Verifying{Repair: true}.Run(t.Context(), b)
	if err != nil || found.Left() != 1 {
		t.Fatalf("%d left (%v)", found.Left(), err)
	}
	for _, table := range found.Tables {
		if table.Left() > 0 && (table.Table != blog.CommentsByPost || !strings.Contains(table.Examples[0].Left, "can't count")) {
			t.Errorf("%+v", table)
		}
	}
}

func TestVerifyReportsEachTableOnce(t *testing.T) {
	b := newSmallBlog()
	var reported []audit.TableReport
	found, err := audit.Verifying{Report: func(r audit.TableReport) { reported = append(reported, r) }}.Run(t.Context(), b)
	if err != nil || !reflect.DeepEqual(inOrder(reported), found.Tables) {
		t.Fatalf("reported %+v, returned %+v (%v)", reported, found.Tables, err)
	}
	tables := map[blog.Table]bool{}
	for _, r := range reported {
		if tables[r.Table] || r.Rows == 0 {
			t.Errorf("%s was reported twice, or of no rows", r.Table)
		}
		tables[r.Table] = true
	}
	for _, d := range blog.Declarations {
		if tables[d.Table] != (len(d.Partition) > 0) { // the others are machinery
			t.Errorf("%s was reported: %v", d.Table, tables[d.Table])
		}
	}
}

// inOrder puts reports, which come as each table is done, into the order of the tables.
func inOrder(reports []audit.TableReport) []audit.TableReport {
	slices.SortFunc(reports, func(a, b audit.TableReport) int {
		return slices.Index(blog.Tables(), a.Table) - slices.Index(blog.Tables(), b.Table)
	})
	return reports
}

func TestVerifyTellsTheFirstExamplesAndCountsAll(t *testing.T) {
	b := newSmallBlog()
	for i := range 30 {
		c := b.copies[0]
		c.Key = slices.Clone(c.Key)
		c.Key[0] = strings.Repeat("x", 3+i)
		b.copies = append(b.copies, c)
	}
	found, err := audit.Verifying{}.Run(t.Context(), b)
	if err != nil || found.Drifted() != 30 || len(kinds(found)) != 10 {
		t.Errorf("%d drifted, examples %q (%v)", found.Drifted(), kinds(found), err)
	}
}

func TestVerifyReturnsTheAuditorsFault(t *testing.T) {
	b := newSmallBlog()
	b.fault = errors.New("away")
	if _, err := (audit.Verifying{}).Run(t.Context(), b); !errors.Is(err, b.fault) {
		t.Errorf("got %v", err)
	}
}

// eachRow is called for the rows that are read.
type eachRow func(n int)

func (f eachRow) Add(n int) error { f(n); return nil }

func TestVerifyKeepsItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, rows := time.Now(), 0
		_, err := audit.Verifying{Concurrency: 1, Rate: 2, Progress: eachRow(func(n int) { rows += n })}.Run(t.Context(), newSmallBlog())
		if took := time.Since(began); err != nil || took < time.Duration(rows-2)*time.Second/2 {
			t.Errorf("%d rows in %v (%v)", rows, took, err)
		}
	})
}
