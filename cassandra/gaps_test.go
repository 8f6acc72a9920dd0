package cassandra_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// deletedLists is an author whose posts, and whose comments on a post that stands, were
// deleted, all but an oldest post.
type deletedLists struct {
	t        *testing.T
	config   cassandra.Config
	clock    *storetest.Clock
	store    *cassandra.Store
	author   blog.User
	kept     blog.Post
	posts    []blog.PostID    // deleted
	comments []blog.CommentID // deleted
}

func newDeletedLists(t *testing.T) *deletedLists {
	t.Helper()
	d := &deletedLists{t: t, config: testkeyspace.New(t), clock: storetest.NewClock(feedEpoch)}
	d.store = testkeyspace.Open(t, d.config, blog.Options{Clock: d.clock})
	d.author = testkeyspace.NewUser(t, d.store)
	d.kept = testkeyspace.NewPost(t, d.store, d.author)
	const many = 300
	posts, comments := make([]blog.PostID, many), make([]blog.CommentID, many)
	atOnce(t, 20, func(worker int) error {
		for i := worker; i < many; i += 20 {
			d.clock.Advance(time.Millisecond)
			p, err := d.store.CreatePost(t.Context(), blog.CreatePost{Author: d.author.ID, Title: "Gone", Content: "x"})
			if err == nil {
				posts[i] = p.ID
				err = d.store.DeletePost(t.Context(), blog.DeletePost{Actor: d.author.ID, Post: p.ID})
			}
			if err != nil {
				return err
			}
			c, _, err := d.store.CreateComment(t.Context(), blog.CreateComment{Author: d.author.ID, Post: d.kept.ID, Content: "x"})
			if err == nil {
				comments[i] = c.ID
				_, err = d.store.DeleteComment(t.Context(), blog.DeleteComment{Actor: d.author.ID, Key: c.Key()})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	must(t, d.store.Settle(t.Context()))
	slices.SortFunc(posts, func(a, b blog.PostID) int { return a.Compare(b.UUID) })
	slices.SortFunc(comments, func(a, b blog.CommentID) int { return a.Compare(b.UUID) })
	d.posts, d.comments = posts, comments
	d.clock.Advance(time.Hour)
	return d
}

// shown reads the first pages of the five lists: the author's posts, the feed, the post's
// comments, the author's comments, and those of the author's on the post. Each is settled before
// the next: so many gaps are made at once, and more are left to the next reader.
func (d *deletedLists) shown() string {
	d.t.Helper()
	ctx := d.t.Context()
	var shown []int
	for _, read := range []func() (int, error){
		func() (int, error) {
			page, err := d.store.PostsByAuthor(ctx, d.author.ID, blog.FirstPage[blog.PostID](5))
			return len(page.Items), err
		},
		func() (int, error) {
			page, err := d.store.Feed(ctx, blog.FirstPage[blog.PostID](5))
			return len(page.Items), err
		},
		func() (int, error) {
			page, err := d.store.CommentsByPost(ctx, blog.CommentsQuery{Post: d.kept.ID, Page: blog.FirstPage[blog.CommentID](5)})
			return len(page.Items), err
		},
		func() (int, error) {
			page, err := d.store.CommentsByAuthor(ctx, d.author.ID, blog.FirstPage[blog.CommentID](5))
			return len(page.Items), err
		},
		func() (int, error) {
			page, err := d.store.CommentsByPostAndAuthor(ctx, d.author.ID, blog.CommentsQuery{Post: d.kept.ID, Page: blog.FirstPage[blog.CommentID](5)})
			return len(page.Items), err
		},
	} {
		n, err := read()
		must(d.t, err)
		must(d.t, d.store.Settle(ctx))
		shown = append(shown, n)
	}
	return strings.Trim(fmt.Sprint(shown), "[]")
}

func (d *deletedLists) shows(what, want string) {
	d.t.Helper()
	if got := d.shown(); got != want {
		d.t.Errorf("%s: posts, feed, comments, own comments and own ones on the post are %s, want %s", what, got, want)
	}
}

func (d *deletedLists) gaps() int {
	d.t.Helper()
	n := 0
	for _, row := range testkeyspace.Rows(d.t, d.config, "SELECT list, part, low, high FROM %s.gaps") {
		if fmt.Sprint(row["low"]) != (blog.UUID{}).String() {
			n++
		}
	}
	return n
}

// A command that comes again hours later makes its rows where it began, and a recovery those
// of a server that died: in the middle of what is taken for dead, maybe.
func TestRowsThatComeIntoAGap(t *testing.T) {
	t.Parallel()
	d := newDeletedLists(t)
	ctx := t.Context()
	d.shows("before the gaps", "1 1 0 0 0")
	if n := d.gaps(); n != 5 {
		t.Fatalf("%d gaps, want one in each list", n)
	}
	d.shows("with gaps", "1 1 0 0 0")

	testkeyspace.Execute(t, d.config, "TRUNCATE %s.journal") // of what is done
	_, err := d.store.CreatePostAs(ctx, blog.CreatePost{Author: d.author.ID, Title: "Late", Content: "x"}, blog.PostID{UUID: cassandra.After(d.posts[150].UUID)})
	must(t, err)
	_, err = d.store.CreateCommentAs(ctx, blog.CreateComment{Author: d.author.ID, Post: d.kept.ID, Content: "x"}, blog.CommentID{UUID: cassandra.After(d.comments[150].UUID)})
	must(t, err)
	d.shows("after a late creation", "2 2 1 1 1")
	if n := d.gaps(); n != 10 {
		t.Errorf("%d gaps, want two in each list", n)
	}
	if found := testkeyspace.Drifted(t, d.store); len(found) > 0 {
		t.Errorf("there is drift in %v", found)
	}

	// Their server died before it wrote any row of a list, and meanwhile all were taken for
	// dead.
	undo(t, d.config)
	for _, list := range []string{"posts_by_author", "comments_by_author"} {
		testkeyspace.Execute(t, d.config, "TRUNCATE %s."+list,
			fmt.Sprintf("UPDATE %%s.gaps SET high = ffffffff-ffff-7fff-bfff-ffffffffffff WHERE list = '%s' AND part = '%v' AND low = 00000000-0000-7000-8000-000000000000", list, d.author.ID),
			fmt.Sprintf("DELETE FROM %%s.gaps WHERE list = '%s' AND part = '%v' AND low > 00000000-0000-7000-8000-000000000000", list, d.author.ID))
	}
	d.shows("without lists", "0 2 1 0 1")
	d.clock.Advance(time.Minute)
	must(t, recovered(ctx, testkeyspace.Open(t, d.config, blog.Options{Clock: d.clock})))
	d.shows("after recovery", "1 2 1 1 1")
	_, err = audit.Verifying{Repair: true, Force: true}.Run(ctx, d.store)
	must(t, err)
	d.shows("after the repair", "2 2 1 1 1")
	if found := testkeyspace.Drifted(t, d.store); len(found) > 0 {
		t.Errorf("after the repair there is drift in %v", found)
	}
}

// A row that comes while somebody has looked for it already, and is about to hide it, keeps
// the gap from being written.
func TestRowThatComesWhileAGapIsMade(t *testing.T) {
	t.Parallel()
	d := newDeletedLists(t)
	late := blog.PostID{UUID: cassandra.After(d.posts[150].UUID)}
	must(t, d.store.MakePostsGap(t.Context(), d.author.ID, d.posts[100], func() {
		_, err := d.store.CreatePostAs(t.Context(), blog.CreatePost{Author: d.author.ID, Title: "Late", Content: "x"}, late)
		must(t, err)
	}))
	for range 2 {
		d.shows("after a creation beside a gap's", "2 2 0 0 0")
	}
}

// A page reads keys alone until it meets a gap, and whole rows behind it: those before the gap come first.
func TestRowsBesideAGapAreInOrder(t *testing.T) {
	t.Parallel()
	d := newDeletedLists(t)
	var want []blog.PostID
	for _, i := range []int{245, 10} {
		late := blog.PostID{UUID: cassandra.After(d.posts[i].UUID)}
		_, err := d.store.CreatePostAs(t.Context(), blog.CreatePost{Author: d.author.ID, Title: "Late", Content: "x"}, late)
		must(t, err)
		want = append(want, late)
	}
	must(t, d.store.Settle(t.Context()))
	testkeyspace.Execute(t, d.config, "TRUNCATE %s.gaps",
		fmt.Sprintf("UPDATE %%s.gaps SET high = %v WHERE list = 'posts_by_author' AND part = '%v' AND low = %v", d.posts[60], d.author.ID, d.posts[20]))
	page, err := d.store.PostsByAuthor(t.Context(), d.author.ID, blog.FirstPage[blog.PostID](50))
	must(t, err)
	var got []blog.PostID
	for _, p := range page.Items {
		got = append(got, p.ID)
	}
	if want = append(want, d.kept.ID); !slices.Equal(got, want) {
		t.Errorf("the page has %v, want %v", got, want)
	}
}

// What a program that knows no gaps writes into one, verify finds, and repair shows again.
func TestVerifyFindsRowsInGaps(t *testing.T) {
	t.Parallel()
	d := newDeletedLists(t)
	d.shows("before", "1 1 0 0 0")
	late, err := d.store.CreatePostAs(t.Context(), blog.CreatePost{Author: d.author.ID, Title: "Late", Content: "x"}, blog.PostID{UUID: cassandra.After(d.posts[150].UUID)})
	must(t, err)
	must(t, d.store.Settle(t.Context()))
	testkeyspace.Execute(t, d.config, fmt.Sprintf("UPDATE %%s.gaps SET high = %v WHERE list = 'posts_by_author' AND part = '%v' AND low = %v", cassandra.After(d.posts[280].UUID), d.author.ID, d.posts[140]))
	if found := testkeyspace.Drifted(t, d.store); !slices.Equal(found, []blog.Table{blog.Gaps}) {
		t.Fatalf("drift in %v, want in the gaps: they hide %v", found, late.ID)
	}
	repaired, err := audit.Verifying{Repair: true}.Run(t.Context(), d.store)
	must(t, err)
	if repaired.Repaired() == 0 || repaired.Left() > 0 {
		t.Errorf("%d repaired, %d left", repaired.Repaired(), repaired.Left())
	}
	d.shows("after the repair", "2 2 0 0 0")
	if found := testkeyspace.Drifted(t, d.store); len(found) > 0 {
		t.Errorf("after the repair there is drift in %v", found)
	}
}

// A page beside deleted posts and one beside deleted comments. The posts are made dead by the
// statements of their deletions alone, for commands would take hours.
func TestDeletedRows(t *testing.T) {
	t.Parallel()
	deletedRows(t, storetest.SomeDeleted)
}

// TestSoakDeletedRows is TestDeletedRows with 101,000 posts and 12,000 comments.
func TestSoakDeletedRows(t *testing.T) {
	storetest.Soaks(t)
	deletedRows(t, storetest.InAnHour)
}

func deletedRows(t *testing.T, many storetest.Deleted) {
	config := testkeyspace.New(t)
	storetest.DeletedRows(t, many, func(t *testing.T, options blog.Options) blog.Store { return testkeyspace.Open(t, config, options) },
		func(store blog.Store, refs []blog.PostRef) error {
			var copies []blog.Copy
			for _, ref := range refs {
				p := blog.Post{ID: ref.ID, Author: blog.Author{ID: ref.Author}, Title: "Gone", Excerpt: "x", Version: 1, Stamp: ref.ID.Stamp(), Feed: ref.Feed}
				copies = append(copies, blog.CopiesOfPost(p)...)
				copies = append(copies, blog.DeletionsOfPost(p, p.Stamp+blog.GoneForEver)...)
			}
			return store.(*cassandra.Store).WriteCopies(t.Context(), copies)
		})
}
