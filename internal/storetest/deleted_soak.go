package storetest

import (
	"slices"
	"testing"
	"time"

	"broadsheet/blog"
)

// Deleted is how much [DeletedRows] makes and deletes.
type Deleted struct{ Posts, Comments int }

// InAnHour is what one account makes and deletes in an hour, and SomeDeleted what takes a second or so.
var InAnHour, SomeDeleted = Deleted{101_000, 12_000}, Deleted{1_000, 1_000}

const soakedReads = 300

// DeletedRows makes and deletes many posts and comments, and then reads first pages of
// the lists that they stood in beside the same of lists from which nothing was deleted. It
// fails where a page fails, or takes too many statements, and logs how long they take. bury
// makes a post dead in its lists faster than commands do; nil: by commands.
func DeletedRows(t *testing.T, many Deleted, newStore NewStore, bury func(store blog.Store, refs []blog.PostRef) error) {
	s := Suite{NewStore: newStore}.seeded(t)
	f := s.fixture(t, 0)
	clean := s.fixture(t, 30*24)                                // in another bucket of the feed
	f.ctx, clean.ctx = asking(t.Context()), asking(t.Context()) // it takes minutes
	lists := func(f *fixture) (blog.User, blog.Post, map[string]func() (int, error)) {
		author := f.user()
		p := f.posts(author, 30)[0]
		f.comments(author, p, 25)
		page := func(n int, err error) (int, error) { return n, err }
		return author, p, map[string]func() (int, error){
			"posts of an author": func() (int, error) {
				l, err := f.authorList(author.ID).page(blog.FirstPage[blog.PostID](20))
				return page(len(l.Items), err)
			},
			"feed": func() (int, error) {
				l, err := f.feedList().page(blog.FirstPage[blog.PostID](20))
				return page(len(l.Items), err)
			},
			"comments of a post": func() (int, error) {
				l, err := f.commentList(p.ID).page(blog.FirstPage[blog.CommentID](20))
				return page(len(l.Items), err)
			},
			"comments of an author": func() (int, error) {
				l, err := f.commenterList(author.ID).page(blog.FirstPage[blog.CommentID](20))
				return page(len(l.Items), err)
			},
		}
	}
	_, _, without := lists(clean)
	author, p, with := lists(f)
	began := time.Now()
	gone := make([]blog.CommentID, many.Comments)
	f.many(many.Comments, func(i int) error {
		c, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: p.ID, Content: "Gone."})
		gone[i] = c.ID
		if err == nil {
			_, err = f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: author.ID, Key: c.Key()})
		}
		return err
	})
	t.Logf("%d comments made and deleted in %v", many.Comments, time.Since(began).Round(time.Second))
	began = time.Now()
	f.buryPosts(author, many.Posts, bury)
	t.Logf("%d posts made and deleted in %v", many.Posts, time.Since(began).Round(time.Second))
	f.clock.Advance(time.Minute)
	for range 3 { // the first reader finds what was deleted, and pays
		for name, read := range with {
			began = time.Now()
			n, err := read()
			f.ok(err, name)
			equal(f, name, n, 20)
			t.Logf("%s, first of all: %v", name, time.Since(began).Round(100*time.Microsecond))
			f.settle()
		}
	}
	for name, read := range with {
		f.statements.take()
		_, err := read()
		f.ok(err, name)
		if n := len(f.statements.takeAsked()); n == 0 || n > 4 {
			t.Errorf("%s: a page takes %d statements, want 1 to 4", name, n)
		}
		beside, plain := medians(f, read, without[name])
		t.Logf("%s: p50 %v beside what was deleted, %v without", name, beside, plain)
	}
}

// buryPosts makes an author's posts dead.
func (f *fixture) buryPosts(author blog.User, n int, bury func(store blog.Store, refs []blog.PostRef) error) {
	f.Helper()
	if bury == nil {
		f.many(n, func(int) error {
			p, err := f.store.CreatePost(f.ctx, blog.CreatePost{Author: author.ID, Title: "Gone", Content: "x"})
			if err == nil {
				err = f.store.DeletePost(f.ctx, blog.DeletePost{Actor: author.ID, Post: p.ID})
			}
			return err
		})
		return
	}
	p := f.post(author)
	ids := blog.NewIDs(f.clock, Random(uint64(n)))
	refs := make([]blog.PostRef, n)
	for i := range refs {
		f.clock.Advance(time.Millisecond)
		refs[i] = p.Ref()
		refs[i].ID = ids.Post()
	}
	const atOnce = 100
	f.many((n+atOnce-1)/atOnce, func(i int) error { return bury(f.raw, refs[i*atOnce:min((i+1)*atOnce, n)]) })
	f.deletePost(p)
}

// medians reads in turn and returns how long each takes.
func medians(f *fixture, one, other func() (int, error)) (a, b time.Duration) {
	f.Helper()
	var took [2][]time.Duration
	for range soakedReads {
		for i, read := range []func() (int, error){one, other} {
			began := time.Now()
			_, err := read()
			took[i] = append(took[i], time.Since(began))
			f.ok(err, "read")
		}
	}
	slices.Sort(took[0])
	slices.Sort(took[1])
	return took[0][soakedReads/2], took[1][soakedReads/2]
}
