package cassandra

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// flown writes down the batches of a combiner, each of which takes a while.
type flown struct {
	mu      sync.Mutex
	batches [][]cql.Bound
	err     func(entries []cql.Bound) error
}

func (f *flown) write(_ context.Context, entries ...cql.Bound) error {
	f.mu.Lock()
	f.batches = append(f.batches, slices.Clone(entries))
	f.mu.Unlock()
	time.Sleep(stalledAfter / 2) // of the bubble's clock
	if f.err != nil {
		return f.err(entries)
	}
	return nil
}

func (f *flown) sizes() (sizes []int) {
	for _, batch := range f.batches {
		sizes = append(sizes, len(batch))
	}
	return sizes
}

func countCopies(n int, stamp int64) []cql.Bound {
	var entries []cql.Bound
	ref := blog.PostRef{ID: blog.PostID{UUID: blog.UUID{1}}, Author: blog.UserID{UUID: blog.UUID{2}}}
	for _, c := range blog.CopiesOfComment(blog.CommentState{Ref: ref, Count: blog.Count{N: n, Stamp: stamp}}) {
		entries = append(entries, bind(c))
	}
	return entries
}

// A lone write leaves by itself at once; what comes meanwhile leaves together, each
// copy in its newest state and once.
func TestWritesThatShareABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flown
		c := &combiner{write: f.write, flights: 1}
		join(t, c, countCopies(1, 100), countCopies(2, 200), countCopies(4, 400), countCopies(4, 400), countCopies(3, 300))
		if got := f.sizes(); !slices.Equal(got, []int{3, 3}) {
			t.Fatalf("batches of %v entries, want 3 and 3", got)
		}
		for _, entry := range f.batches[1] {
			if entry.Stamp() != 400 || entry.Args[1] != 4 {
				t.Errorf("wrote %v, want the newest count", entry.Args)
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.inFlight != 0 || len(c.waiting) != 0 {
			t.Errorf("%d in flight and %d waiting in the end", c.inFlight, len(c.waiting))
		}
	})
}

// A batch that several share is told by itself, under the context of none of them, and each
// of them is told of its own share before it hears how it went.
func TestSharesOfABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var f flown
		shares, under := map[any][][]cql.Bound{}, []any{}
		c := &combiner{flights: 1,
			write: func(ctx context.Context, entries ...cql.Bound) error {
				mu.Lock()
				under = append(under, ctx.Value(whoseKey{}))
				mu.Unlock()
				return f.write(ctx, entries...)
			},
			shared: func(ctx context.Context, entries []cql.Bound, _ time.Time, err error) {
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Errorf("a share is told %v", err)
				}
				shares[ctx.Value(whoseKey{})] = append(shares[ctx.Value(whoseKey{})], entries)
			}}
		var all sync.WaitGroup
		for who, entries := range [][]cql.Bound{countCopies(1, 100), countCopies(2, 200), countCopies(3, 300)} {
			all.Go(func() {
				if err := c.join(context.WithValue(t.Context(), whoseKey{}, who), entries); err != nil {
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
		for _, c := range slices.Concat(blog.CopiesOfPost(blog.PostState{Post: p}), blog.NameOfPost(p.Ref(), author)) {
			entries = append(entries, bind(c))
		}
	}
	want := []blog.TableCost{
		{Table: blog.PostsByAuthor, Partitions: 1, Rows: 4},
		{Table: blog.FeedByBucket, Partitions: 2, Rows: 3},
		{Table: blog.PostsByID, Partitions: 3, Rows: 3},
	}
	var told recorder
	cql.NewSession(nil, gocql.LocalQuorum, gocql.LocalSerial, &told).ObserveShare(t.Context(), entries, time.Now(), nil)
	if got := slices.Collect(told[0].ByTable()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// recorder keeps what an observer is told.
type recorder []blog.Statement

func (r *recorder) Statement(_ context.Context, s blog.Statement) { *r = append(*r, s) }

// What comes while a place rests leaves together at the end of the rest; who finds it
// rested leaves at once.
func TestFlightsRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flown
		c := &combiner{write: f.write, flights: 1, rest: lateRest}
		began := time.Now()
		join(t, c, countCopies(1, 100))
		if took := time.Since(began); took != stalledAfter/2 {
			t.Errorf("a lone write took %v", took)
		}
		join(t, c, countCopies(2, 200), countCopies(3, 300))
		if took := time.Since(began); took != stalledAfter/2+lateRest+stalledAfter/2 {
			t.Errorf("what came in the rest was written after %v", took)
		}
		if got := f.sizes(); !slices.Equal(got, []int{3, 3}) {
			t.Errorf("batches of %v entries, want 3 and 3", got)
		}
		time.Sleep(lateRest)
		synctest.Wait()
		if c.inFlight != 0 {
			t.Errorf("%d in flight in the end", c.inFlight)
		}
	})
}

// join makes each write at once, in their order, and returns their errors.
func join(t *testing.T, c *combiner, writes ...[]cql.Bound) []error {
	t.Helper()
	errs := make([]error, len(writes))
	var all sync.WaitGroup
	for i, entries := range writes {
		all.Go(func() { errs[i] = c.join(t.Context(), entries) })
		synctest.Wait()
	}
	all.Wait()
	return errs
}

// A batch over several partitions stays below what Cassandra refuses.
func TestSharedBatchesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flown
		c := &combiner{write: f.write, flights: 1}
		var writes [][]cql.Bound
		for i := range 20 {
			text := strings.Repeat("x", 10_000)
			writes = append(writes, []cql.Bound{insertIntent.With(time.Time{}, i, nil, "k", text)})
		}
		join(t, c, writes...)
		n := 0
		for _, batch := range f.batches {
			size := 0
			for _, entry := range batch {
				size += entry.Size()
			}
			if size > cql.MaxBatchBytes {
				t.Errorf("a batch of %d bytes", size)
			}
			n += len(batch)
		}
		if n != 20 || len(f.batches) >= 20 {
			t.Errorf("%d entries in %d batches", n, len(f.batches))
		}
	})
}

// One bad write harms no other; a failure that may pass is everybody's.
func TestErrorsOfSharedBatches(t *testing.T) {
	t.Parallel()
	bad := blog.Errorf(blog.Internal, "bad")
	away := blog.Errorf(blog.Unavailable, "away")
	synctest.Test(t, func(t *testing.T) {
		f := flown{err: func(entries []cql.Bound) error {
			if slices.ContainsFunc(entries, func(b cql.Bound) bool { return b.Args[0] == "bad" }) {
				return bad
			}
			return nil
		}}
		st := cql.Statement{Table: blog.Journal}
		errs := join(t, &combiner{write: f.write, flights: 1},
			[]cql.Bound{st.With("first")}, []cql.Bound{st.With("good")}, []cql.Bound{st.With("bad")}, []cql.Bound{st.With("good")})
		if !slices.Equal(errs, []error{nil, nil, bad, nil}) {
			t.Errorf("the errors are %v", errs)
		}
		f.err = func([]cql.Bound) error { return away }
		errs = join(t, &combiner{write: f.write, flights: 1}, []cql.Bound{st.With("a")}, []cql.Bound{st.With("b")}, []cql.Bound{st.With("c")})
		if !slices.Equal(errs, []error{away, away, away}) {
			t.Errorf("the errors are %v", errs)
		}
	})
}

// A write that hangs does not hold up the others, and one whose caller has gone is not
// made.
func TestStalledFlights(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		var wrote []any
		c := &combiner{flights: 1, write: func(_ context.Context, entries ...cql.Bound) error {
			for _, entry := range entries {
				wrote = append(wrote, entry.Args[0])
			}
			if entries[0].Args[0] == "hangs" {
				<-hang
			}
			return nil
		}}
		st := cql.Statement{Table: blog.Journal}
		var all sync.WaitGroup
		all.Go(func() { _ = c.join(t.Context(), []cql.Bound{st.With("hangs")}) })
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), stalledAfter/2)
		defer cancel()
		if err := c.join(short, []cql.Bound{st.With("gone")}); blog.KindOf(err) != blog.Timeout {
			t.Errorf("a write whose time is over: %v", err)
		}
		if err := c.join(t.Context(), []cql.Bound{st.With("next")}); err != nil {
			t.Error(err)
		}
		close(hang)
		all.Wait()
		synctest.Wait()
		if !slices.Equal(wrote, []any{"hangs", "next"}) || c.inFlight != 0 {
			t.Errorf("wrote %v, %d in flight", wrote, c.inFlight)
		}
	})
}

// Reads of one key that come while another is in flight share the next one, and never
// that one; an error sends each on its own way.
func TestGatheredReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var read [][]int
		value, fails := 0, false
		note := func(keys ...int) int {
			mu.Lock()
			defer mu.Unlock()
			read = append(read, keys)
			return value
		}
		g := &gatherer[int, int]{
			flights: 1,
			one: func(_ context.Context, key int) (int, error) {
				defer time.Sleep(stalledAfter / 2)
				return note(key), nil
			},
			many: func(_ context.Context, keys []int) (map[int]int, error) {
				found := map[int]int{}
				v := note(keys...)
				for _, key := range keys {
					found[key] = v
				}
				if fails {
					return nil, blog.Errorf(blog.Unavailable, "away")
				}
				return found, nil
			},
		}
		ask := func(keys ...int) []int {
			values := make([]int, len(keys))
			var all sync.WaitGroup
			for i, key := range keys {
				all.Go(func() {
					var err error
					if values[i], err = g.read(t.Context(), key); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
				mu.Lock()
				value = i + 1 // whoever comes next has to see it
				mu.Unlock()
			}
			all.Wait()
			return values
		}
		if got := ask(1, 1, 2, 1); !slices.Equal(got, []int{0, 4, 4, 4}) {
			t.Errorf("read the values %v", got)
		}
		if len(read) != 2 || !slices.Equal(read[1], []int{1, 2}) {
			t.Errorf("read the keys %v", read)
		}
		fails = true
		ask(1, 2, 3)
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.inFlight != 0 || len(g.waiting) != 0 {
			t.Errorf("%d in flight and %d waiting in the end", g.inFlight, len(g.waiting))
		}
	})
}
