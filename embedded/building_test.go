package embedded_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
)

// holdsWrites holds the first statement that writes to a table until it is let go on.
type holdsWrites struct {
	table         blog.Table
	once          sync.Once
	reached, goOn chan struct{}
}

func (h *holdsWrites) Statement(_ context.Context, s blog.Statement) {
	if s.Kind != blog.Read && s.Table == h.table {
		h.once.Do(func() { close(h.reached); <-h.goOn })
	}
}

// A table that is new is refused until it is whole, others are answered; a directory that was closed
// before is gone on with, and one that an older program wrote to since is built again.
func TestTableIsRefusedUntilItIsWhole(t *testing.T) {
	kept, dir := storetest.ReadKept(t, filepath.Join(keptFolder, "2026-11.json")), t.TempDir()
	if err := unpack(filepath.Join(keptFolder, "2026-11.tar.gz"), dir); err != nil {
		t.Fatal(err)
	}
	open := func(o blog.Observer) *embedded.Store {
		return closing(t)(embedded.Open(dir, embedded.Options{Options: blog.Options{Observer: o}, Log: quiet}))
	}
	ofOne := func(s *embedded.Store) (int, error) {
		c := kept.Comments[4]
		first, err := s.CommentByKey(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.CommentsByPostAndAuthor(t.Context(), first.Author.ID, blog.CommentsQuery{Post: c.Post, Page: blog.PageRequest[blog.CommentID]{Limit: 5}})
		return len(page.Items), err
	}
	isWhole := func(s *embedded.Store, when string) {
		t.Helper()
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, err := ofOne(s); n == 0 || err != nil || len(s.Upkeep().Unbuilt) > 0 {
			t.Errorf("%s: %d comments, %v; %v are not built", when, n, err, s.Upkeep().Unbuilt)
		}
	}

	held := &holdsWrites{table: blog.CommentsByPostAndAuthor, reached: make(chan struct{}), goOn: make(chan struct{})}
	s := open(held)
	<-held.reached
	if n, err := ofOne(s); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("meanwhile: %d comments, %v; want Unavailable", n, err)
	}
	if left := s.Upkeep().Unbuilt; !slices.Contains(left, blog.CommentsByPostAndAuthor) {
		t.Errorf("meanwhile %v are not built", left)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("it is not ready: %v", err)
	}
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	eventually(t, func() bool { return s.Ready(t.Context()) != nil })
	close(held.goOn)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}

	for _, when := range []string{"after it was closed meanwhile", "after an older program"} {
		again := &holdsWrites{table: blog.CommentsByPostAndAuthor, reached: make(chan struct{}), goOn: held.goOn}
		s = open(again)
		isWhole(s, when)
		select {
		case <-again.reached:
		default:
			t.Errorf("%s the table is not built", when)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		embedded.WriteTablesOf(t, dir, 1)
	}
}

// An older program leaves rows in a table that it does not know of what it deletes. They are gone once the table is whole.
func TestATableThatIsFilledHoldsNothingElse(t *testing.T) {
	dir := t.TempDir()
	open := func() *embedded.Store {
		return closing(t)(embedded.Open(dir, embedded.Options{Log: quiet}))
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := open()
	u, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "ann", Username: "ann"})
	must(err)
	p, err := s.CreatePost(t.Context(), blog.CreatePost{Author: u.ID, Title: "A title", Content: "x"})
	must(err)
	c, count, err := s.CreateComment(t.Context(), blog.CreateComment{Author: u.ID, Post: p.ID, Content: "gone"})
	must(err)
	stays, _, err := s.CreateComment(t.Context(), blog.CreateComment{Author: u.ID, Post: p.ID, Content: "stays", Parent: c.Key()})
	must(err)
	_, err = s.DeleteComment(t.Context(), blog.DeleteComment{Actor: u.ID, Key: c.Key()})
	must(err)
	left := slices.DeleteFunc(append(blog.CopiesOfComment(c, count.Stamp), blog.NameOfComment(c, u.Name())...), func(c blog.Copy) bool { return c.Family.Table != blog.CommentsByThread })
	must(s.WriteCopies(t.Context(), left))
	must(s.Close())
	embedded.WriteTablesOf(t, dir, blog.CommentsByThread.Declaration().Embedded.Since-1)

	s = open()
	must(s.Settle(t.Context()))
	found, err := audit.Verifying{}.Run(t.Context(), s)
	must(err)
	if n := found.Drifted(); n > 0 {
		t.Errorf("%d rows drifted: %+v", n, found.Tables)
	}
	page, err := s.CommentsByThread(t.Context(), blog.ThreadQuery{Post: p.ID, Page: blog.FirstPage[blog.Path](5)})
	must(err)
	if n := len(page.Items); n != 2 || page.Items[0].Comment != nil || page.Items[1].Comment.ID != stays.ID {
		t.Errorf("%d entries: %+v", n, page.Items)
	}
}
