package cassandra

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// Whatever panics in a goroutine of the store's own is an error of those who wait for it, and
// the log has one line with the stack. What comes after goes its way. A bubble of synctest
// fails where a goroutine is left.

type panicLog struct{ bytes.Buffer }

func (l *panicLog) log() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *panicLog) want(t *testing.T, lines int) {
	t.Helper()
	if text := l.String(); strings.Count(text, "\n") != lines || lines > 0 && !strings.Contains(text, "panics_test.go") {
		t.Errorf("the log has %q, want %d lines with the stack", text, lines)
	}
}

func wantInternal(t *testing.T, err error) {
	t.Helper()
	if err == nil || blog.KindOf(err) != blog.Internal {
		t.Errorf("%v, want an internal error", err)
	}
}

func TestPanicOfAFlightOfWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log panicLog
		c := &combiner{flights: 1, log: log.log(), write: func(_ context.Context, entries ...cql.Bound) error {
			time.Sleep(stalledAfter / 2)
			if entries[0].Args[0] == "panics" {
				panic("boom")
			}
			return nil
		}}
		st := cql.Statement{Table: blog.Journal}
		errs := join(t, c, []cql.Bound{st.With("first")}, []cql.Bound{st.With("panics")}, []cql.Bound{st.With("beside it")})
		for _, err := range errs[1:] {
			wantInternal(t, err)
		}
		for _, write := range []string{"after", "after that"} {
			if err := errors.Join(join(t, c, []cql.Bound{st.With(write)})...); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		if c.inFlight != 0 {
			t.Errorf("%d flights hold a place", c.inFlight)
		}
		log.want(t, 1)
	})
}

// A write that goes alone panics where its caller is, who recovers; its place is free.
func TestPanicOfALoneFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		panics := true
		c := &combiner{flights: 1, write: func(context.Context, ...cql.Bound) error {
			if panics {
				panic("boom")
			}
			return nil
		}}
		st := cql.Statement{Table: blog.Journal}
		wantInternal(t, blog.Safely(func() error { return c.join(t.Context(), []cql.Bound{st.With("x")}) }))
		panics = false
		if err := c.join(t.Context(), []cql.Bound{st.With("y")}); err != nil || c.inFlight != 0 {
			t.Errorf("%v, %d in flight", err, c.inFlight)
		}
	})
}

func TestPanicOfGatheredReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log panicLog
		g := &gatherer[int, int]{
			flights: 1, log: log.log(),
			one:  func(_ context.Context, key int) (int, error) { time.Sleep(stalledAfter / 2); return 10 * key, nil },
			many: func(context.Context, []int) (map[int]int, error) { panic("boom") },
		}
		var all sync.WaitGroup
		for key := range 3 {
			all.Go(func() {
				if value, err := g.read(t.Context(), key); value != 10*key || err != nil {
					t.Errorf("key %d: %d, %v; want what it reads by itself", key, value, err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		synctest.Wait()
		if g.inFlight != 0 {
			t.Errorf("%d flights hold a place", g.inFlight)
		}
		log.want(t, 1)
	})
}

func TestPanicInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log panicLog
		var b background
		b.init(log.log())
		b.run(t.Context(), func(context.Context) { panic("boom") })
		if err := b.wait(t.Context()); err != nil || len(b.places) != 0 {
			t.Errorf("%v, %d places are taken", err, len(b.places))
		}
		log.want(t, 1)
	})
}
