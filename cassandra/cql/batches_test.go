package cql_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// written is the batches that were written, each of which takes a while.
type written struct {
	mu      sync.Mutex
	batches [][]cql.Bound
	err     func(entries []cql.Bound) error
}

const writeTakes = 25 * time.Millisecond

func (w *written) write(_ context.Context, entries ...cql.Bound) error {
	w.mu.Lock()
	w.batches = append(w.batches, slices.Clone(entries))
	w.mu.Unlock()
	time.Sleep(writeTakes) // of the bubble's clock
	if w.err != nil {
		return w.err(entries)
	}
	return nil
}

func (w *written) sizes() (sizes []int) {
	for _, batch := range w.batches {
		sizes = append(sizes, len(batch))
	}
	return sizes
}

func countCopies(n int, stamp int64) []cql.Bound {
	var entries []cql.Bound
	ref := blog.PostRef{ID: blog.PostID{UUID: blog.UUID{1}}, Author: blog.UserID{UUID: blog.UUID{2}}}
	for _, c := range blog.CopiesOfCount(blog.CommentsByPost, ref, blog.Count{N: n, Stamp: stamp}) {
		entries = append(entries, tables.Bind(c))
	}
	return entries
}

// A lone write leaves by itself at once; what comes meanwhile leaves together, each
// copy in its newest state and once.
func TestWritesThatShareABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w written
		b := w.through(1)
		writeAtOnce(t, b, countCopies(1, 100), countCopies(2, 200), countCopies(4, 400), countCopies(4, 400), countCopies(3, 300))
		if got := w.sizes(); !slices.Equal(got, []int{3, 3}) {
			t.Fatalf("batches of %v entries, want 3 and 3", got)
		}
		for _, entry := range w.batches[1] {
			if entry.Stamp() != 400 || entry.Args[1] != 4 {
				t.Errorf("wrote %v, want the newest count", entry.Args)
			}
		}
	})
}

// A batch that several share is told by itself, under the context of none of them, and each
// of them is told of its own share before it hears how it went.
func TestSharesOfABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var w written
		shares, under := map[any][][]cql.Bound{}, []any{}
		b := cql.NewBatches(func(ctx context.Context, entries ...cql.Bound) error {
			mu.Lock()
			under = append(under, ctx.Value(whoseKey{}))
			mu.Unlock()
			return w.write(ctx, entries...)
		}, func(ctx context.Context, entries []cql.Bound, _ time.Time, err error) {
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("a share is told %v", err)
			}
			shares[ctx.Value(whoseKey{})] = append(shares[ctx.Value(whoseKey{})], entries)
		}, 1, nil)
		var all sync.WaitGroup
		for who, entries := range [][]cql.Bound{countCopies(1, 100), countCopies(2, 200), countCopies(3, 300)} {
			all.Go(func() {
				if err := b.Write(context.WithValue(t.Context(), whoseKey{}, who), entries); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if n := len(shares[who]); n != min(who, 1) {
					t.Errorf("%d heard of %d shares", who, n)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if want := []any{0, nil}; !slices.Equal(under, want) {
			t.Errorf("wrote under the contexts of %v, want %v", under, want)
		}
		for who, of := range shares {
			if len(of) != 1 || len(of[0]) != 3 || of[0][0].Args[1] != who.(int)+1 {
				t.Errorf("%v is told of %v", who, of)
			}
		}
	})
}

type whoseKey struct{}

// Several writes of cells of one row are one row, those of several rows of a partition one
// partition, of each table by itself; what stands above the rows counts as a row.
func TestWhatABatchTouches(t *testing.T) {
	t.Parallel()
	author := blog.Name{User: blog.UserID{UUID: blog.UUID{2}}, Username: "ada", Stamp: 1}
	post := func(n byte, bucket string) blog.Post {
		return blog.Post{ID: blog.PostID{UUID: blog.UUID{n}}, Author: author.Author(), Feed: blog.FeedPlace{Bucket: bucket}, Comments: blog.Count{Stamp: 1}}
	}
	var entries []cql.Bound
	for _, p := range []blog.Post{post(1, "a"), post(3, "a"), post(4, "b")} {
		for _, c := range slices.Concat(blog.CopiesOfPost(p), blog.NameOfPost(p.Ref(), author)) {
			entries = append(entries, tables.Bind(c))
		}
	}
	want := []blog.TableCost{
		{Table: blog.PostsByAuthor, Partitions: 1, Rows: 4},
		{Table: blog.FeedByBucket, Partitions: 2, Rows: 3},
		{Table: blog.PostsByID, Partitions: 3, Rows: 3},
	}
	var told recorder
	cql.NewSession(nil, gocql.LocalQuorum, gocql.LocalSerial, &told).ObserveShare(t.Context(), entries, time.Now(), nil)
	if got := told[0].ByTable(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// recorder keeps what an observer is told.
type recorder []blog.Statement

func (r *recorder) Statement(_ context.Context, s blog.Statement) { *r = append(*r, s) }

// through returns batches that are written down.
func (w *written) through(slots int) *cql.Batches {
	return cql.NewBatches(w.write, func(context.Context, []cql.Bound, time.Time, error) {}, slots, nil)
}

// writeAtOnce makes each write at once, in their order, and returns their errors.
func writeAtOnce(t *testing.T, b *cql.Batches, writes ...[]cql.Bound) []error {
	t.Helper()
	errs := make([]error, len(writes))
	var all sync.WaitGroup
	for i, entries := range writes {
		all.Go(func() { errs[i] = b.Write(t.Context(), entries) })
		synctest.Wait()
	}
	all.Wait()
	return errs
}

// A batch over several partitions stays below what Cassandra refuses.
func TestSharedBatchesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w written
		b := w.through(1)
		var writes [][]cql.Bound
		st := cql.Statement{Table: blog.Journal}
		for i := range 20 {
			text := strings.Repeat("x", 10_000)
			writes = append(writes, []cql.Bound{st.With(time.Time{}, i, nil, "k", text)})
		}
		writeAtOnce(t, b, writes...)
		n := 0
		for _, batch := range w.batches {
			size := 0
			for _, entry := range batch {
				size += entry.Size()
			}
			if size > cql.MaxBatchBytes {
				t.Errorf("a batch of %d bytes", size)
			}
			n += len(batch)
		}
		if n != 20 || len(w.batches) >= 20 {
			t.Errorf("%d entries in %d batches", n, len(w.batches))
		}
	})
}

// One bad write harms no other; a failure that may pass is everybody's.
func TestErrorsOfSharedBatches(t *testing.T) {
	t.Parallel()
	bad := cql.Convert(t.Context(), gocql.ErrQueryArgLength)
	away := blog.Errorf(blog.Unavailable, "away")
	synctest.Test(t, func(t *testing.T) {
		w := written{err: func(entries []cql.Bound) error {
			if slices.ContainsFunc(entries, func(b cql.Bound) bool { return b.Args[0] == "bad" }) {
				return bad
			}
			return nil
		}}
		st := cql.Statement{Table: blog.Journal}
		errs := writeAtOnce(t, w.through(1),
			[]cql.Bound{st.With("first")}, []cql.Bound{st.With("good")}, []cql.Bound{st.With("bad")}, []cql.Bound{st.With("good")})
		if !slices.Equal(errs, []error{nil, nil, bad, nil}) {
			t.Errorf("the errors are %v", errs)
		}
		w.err = func([]cql.Bound) error { return away }
		errs = writeAtOnce(t, w.through(1), []cql.Bound{st.With("a")}, []cql.Bound{st.With("b")}, []cql.Bound{st.With("c")})
		if !slices.Equal(errs, []error{away, away, away}) {
			t.Errorf("the errors are %v", errs)
		}
	})
}

// What panics in a batch is an error of those who wait for it, and the log has one line with
// the stack. What comes after goes its way. A bubble of synctest fails where a goroutine is left.
func TestPanicOfABatchOfWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log panicLog
		write := func(_ context.Context, entries ...cql.Bound) error {
			time.Sleep(writeTakes)
			if entries[0].Args[0] == "panics" {
				panic("boom")
			}
			return nil
		}
		b := cql.NewBatches(write, func(context.Context, []cql.Bound, time.Time, error) {}, 1, log.log())
		st := cql.Statement{Table: blog.Journal}
		errs := writeAtOnce(t, b, []cql.Bound{st.With("first")}, []cql.Bound{st.With("panics")}, []cql.Bound{st.With("beside it")})
		for _, err := range errs[1:] {
			wantInternal(t, err)
		}
		for _, entry := range []string{"after", "after that"} {
			if err := errors.Join(writeAtOnce(t, b, []cql.Bound{st.With(entry)})...); err != nil {
				t.Error(err)
			}
		}
		log.want(t, 1)
	})
}

// panicLog is a log in which each panic is one line, with the stack.
type panicLog struct{ bytes.Buffer }

func (l *panicLog) log() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *panicLog) want(t *testing.T, lines int) {
	t.Helper()
	if text := l.String(); strings.Count(text, "\n") != lines || lines > 0 && !strings.Contains(text, "batches_test.go") {
		t.Errorf("the log has %q, want %d lines with the stack", text, lines)
	}
}

func wantInternal(t *testing.T, err error) {
	t.Helper()
	if err == nil || blog.KindOf(err) != blog.Internal {
		t.Errorf("%v, want an internal error", err)
	}
}

// BenchmarkLoneWrite is what a write pays here that finds a slot.
func BenchmarkLoneWrite(b *testing.B) {
	alone := cql.NewBatches(func(context.Context, ...cql.Bound) error { return nil }, nil, 1, nil)
	entries := countCopies(1, 100)
	b.ReportAllocs()
	for b.Loop() {
		if err := alone.Write(b.Context(), entries); err != nil {
			b.Fatal(err)
		}
	}
}
