package embedded_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
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
