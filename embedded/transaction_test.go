package embedded

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
)

// Where a batch can't be applied its command fails, and the next one is let in.
func TestABatchThatIsNotAppliedHoldsNobodyUp(t *testing.T) {
	s := closes(t)
	u, _ := account(t, s)
	disk := vfs.NewMem()
	options := func(readOnly bool) *pebble.Options {
		return &pebble.Options{FS: disk, ReadOnly: readOnly, Logger: newHealth(slog.New(slog.DiscardHandler))}
	}
	made, err := pebble.Open("other", options(false))
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := pebble.Open("other", options(true))
	if err != nil {
		t.Fatal(err)
	}
	whole := s.db
	s.db = sealed
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 3 {
		err := s.command(ctx, func(tx *tx) error {
			tx.put(usersByID, []byte{usersByID.prefix}, nil)
			return nil
		})
		if !errors.Is(err, pebble.ErrReadOnly) {
			t.Errorf("%v, want that nothing can be written", err)
		}
	}
	s.db = whole
	if err := sealed.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.CreatePost(ctx, blog.CreatePost{Author: u.ID, Title: "t", Content: "c"}); err != nil {
		t.Errorf("a command afterwards: %v", err)
	}
}

// What reads long ends soon after its caller has left.
func TestLongReadingsLookWhetherTheCallerIsThere(t *testing.T) {
	const rows = 3 * rowsBetweenChecks
	s := closes(t)
	_, p := account(t, s)
	err := s.command(t.Context(), func(tx *tx) error {
		for range rows {
			tx.put(tables[blog.LikeClaims], tx.cellKey(tables[blog.LikeClaims], truthCell, p.ID, tx.ids.User()), tx.encode(1, time.Unix(1, 0), true))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(ctx context.Context, visit func()) error{
		"a snapshot": func(ctx context.Context, visit func()) (err error) {
			snap, err := s.query(ctx, tables[blog.LikeClaims], p.ID)
			if err != nil {
				return err
			}
			defer snap.close(&err)
			for range snap.rows(span{}, false) {
				visit()
			}
			return snap.err
		},
		"a scan": func(ctx context.Context, visit func()) error {
			return s.scan(ctx, tables[blog.LikeClaims], func(_, _ []byte) error { visit(); return nil })
		},
		"a command": func(ctx context.Context, visit func()) error {
			return s.command(ctx, func(tx *tx) error {
				return tx.walk(tables[blog.LikeClaims], p.ID, func(*row) error { visit(); return nil })
			})
		},
	} {
		ctx, leave := context.WithCancel(t.Context())
		seen := 0
		err := read(ctx, func() { seen++; leave() })
		if blog.KindOf(err) != blog.Timeout || seen > rowsBetweenChecks {
			t.Errorf("%s: %v after %d rows, want a timeout after %d at most", name, err, seen, rowsBetweenChecks)
		}
		seen = 0
		if err := read(t.Context(), func() { seen++ }); err != nil || seen != rows {
			t.Errorf("%s, whose caller is there: %v after %d rows of %d", name, err, seen, rows)
		}
	}
}
