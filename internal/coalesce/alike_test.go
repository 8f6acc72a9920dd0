package coalesce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"
	"broadsheet/internal/storetest"
)

type counter struct{ atomic.Int64 }

func (c *counter) Inc() { c.Add(1) }

// Whoever comes while a read is under way shares the next one, and never that one.
func TestTheNextIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shared counter
		reads := coalesce.Next[string, int]{Shared: &shared}
		var begun atomic.Int64
		read := func(context.Context) (int, error) {
			n := int(begun.Add(1))
			time.Sleep(10 * time.Millisecond)
			return n, nil
		}
		want := func(key string, want int) {
			if got, err := reads.Do(t.Context(), key, read); got != want || err != nil {
				t.Errorf("%s: %d, %v, want %d", key, got, err, want)
			}
		}
		var all sync.WaitGroup
		all.Go(func() { want("a", 1) })
		synctest.Wait()
		all.Go(func() { want("b", 2) }) // another key waits for nothing
		synctest.Wait()
		for range 5 {
			all.Go(func() { want("a", 3) })
		}
		all.Wait()
		if shared.Load() != 4 {
			t.Errorf("%d shared", shared.Load())
		}
		want("a", 4)
	})
}

// A read that takes long holds up the next one for a while only.
func TestAStalledReadHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads coalesce.Next[int, string]
		var all sync.WaitGroup
		all.Go(func() {
			_, _ = reads.Do(t.Context(), 1, func(context.Context) (string, error) { time.Sleep(time.Minute); return "late", nil })
		})
		synctest.Wait()
		began := time.Now()
		got, err := reads.Do(t.Context(), 1, func(context.Context) (string, error) { return "in time", nil })
		if took := time.Since(began); got != "in time" || err != nil || took > time.Second {
			t.Errorf("%q, %v after %v", got, err, took)
		}
		all.Wait()
	})
}

// patiences are in which order three come who wait for one read: one leaves before it begins,
// one while it goes on, one has time.
var patiences = [][]time.Duration{
	{before, during, long}, {before, long, during}, {during, before, long},
	{during, long, before}, {long, before, during}, {long, during, before},
}

const (
	before = 5 * time.Millisecond
	during = 15 * time.Millisecond
	long   = time.Second
)

// underWay has a read take 10 ms, and returns once it is under way.
func underWay(reads *coalesce.Next[int, string], all *sync.WaitGroup) {
	all.Go(func() {
		_, _ = reads.Do(context.Background(), 1, func(context.Context) (string, error) { time.Sleep(10 * time.Millisecond); return "", nil })
	})
	synctest.Wait()
}

// A read goes on as long as somebody waits for it, whoever came first and whoever leaves, by
// a deadline or for good. What it is told of the time is the latest deadline.
func TestWhoLeaves(t *testing.T) {
	for name, leaving := range map[string]func(context.Context, time.Duration) (context.Context, context.CancelFunc){
		"by a deadline": context.WithTimeout,
		"for good": func(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(patience, cancel)
			return ctx, cancel
		},
	} {
		for _, order := range patiences {
			t.Run(fmt.Sprint(name, order), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var reads coalesce.Next[int, string]
					var all sync.WaitGroup
					begun := 0
					read := func(ctx context.Context) (string, error) {
						begun++
						if until, bounded := ctx.Deadline(); bounded != (name == "by a deadline") || bounded && time.Until(until) < long/2 {
							t.Errorf("the read is told that it has %v: %v", time.Until(until), bounded)
						}
						select {
						case <-ctx.Done():
							return "", ctx.Err()
						case <-time.After(20 * time.Millisecond):
							return "read", nil
						}
					}
					underWay(&reads, &all)
					for _, patience := range order {
						all.Go(func() {
							ctx, cancel := leaving(t.Context(), patience)
							defer cancel()
							came := time.Now()
							got, err := reads.Do(ctx, 1, read)
							if patience == long && (got != "read" || err != nil) {
								t.Errorf("who has time is told %q, %v", got, err)
							}
							if patience < long && (blog.KindOf(err) != blog.Timeout || time.Since(came) != patience) {
								t.Errorf("with a patience of %v: %q, %v after %v", patience, got, err, time.Since(came))
							}
						})
						synctest.Wait()
					}
					all.Wait()
					if begun != 1 {
						t.Errorf("%d reads were begun", begun)
					}
				})
			})
		}
	}
}

// A read that nobody waits for is ended, or not begun.
func TestAllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads coalesce.Next[int, string]
		var all sync.WaitGroup
		var ended []error
		ask := func(patience time.Duration) {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(patience, cancel)
				_, _ = reads.Do(ctx, 1, func(ctx context.Context) (string, error) {
					<-ctx.Done()
					ended = append(ended, ctx.Err())
					return "", ctx.Err()
				})
			})
			synctest.Wait()
		}
		underWay(&reads, &all)
		ask(before)
		ask(during)
		ask(during)
		all.Wait()
		synctest.Wait()
		if len(ended) != 1 || ended[0] != context.Canceled {
			t.Errorf("the read that all have left: %v", ended)
		}
		underWay(&reads, &all)
		ask(before)
		all.Wait()
		synctest.Wait()
		if len(ended) != 1 {
			t.Error("a read was begun that nobody waits for")
		}
	})
}

// A read that fails is one caller's: the others try again, together, and then each alone. An
// error that is an answer is everybody's.
func TestErrorsOfSharedReads(t *testing.T) {
	const callers = 5
	for name, tc := range map[string]struct {
		err       error // of each read that fails
		failures  int   // after the one that all wait for
		want      int   // callers who are told of it
		wantReads int
	}{
		"one read fails":                     {blog.Errorf(blog.Unavailable, "away"), 1, 1, 3},
		"a node takes too long":              {blog.Errorf(blog.Timeout, ""), 1, 1, 3},
		"it has the error of another's time": {context.Canceled, 1, 1, 3},
		"one row can't be read":              {errors.New("garbage"), 1, 1, 3},
		"two reads fail":                     {blog.Errorf(blog.Unavailable, "away"), 2, 2, 3},
		"all reads fail":                     {blog.Errorf(blog.Unavailable, "away"), 100, callers, callers},
		"there is nothing":                   {blog.ErrNoPost("id"), 100, callers, 1},
		"the question is wrong":              {blog.Errorf(blog.Invalid, "no"), 100, callers, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reads coalesce.Next[int, string]
				var all sync.WaitGroup
				var begun, failed atomic.Int64
				underWay(&reads, &all)
				for range callers {
					all.Go(func() {
						got, err := reads.Do(t.Context(), 1, func(context.Context) (string, error) {
							n := begun.Add(1)
							time.Sleep(10 * time.Millisecond)
							if int(n) <= tc.failures {
								return "", tc.err
							}
							return "read", nil
						})
						switch {
						case errors.Is(err, tc.err):
							failed.Add(1)
						case got != "read" || err != nil:
							t.Errorf("%q, %v", got, err)
						}
					})
					synctest.Wait()
				}
				began := time.Now()
				all.Wait()
				if int(failed.Load()) != tc.want || int(begun.Load()) != tc.wantReads {
					t.Errorf("%d failed after %d reads, want %d after %d", failed.Load(), begun.Load(), tc.want, tc.wantReads)
				}
				if took := time.Since(began); took > 50*time.Millisecond {
					t.Errorf("it took %v: they wait for one another", took)
				}
			})
		})
	}
}

// A panic is logged once, and is the error of the one whose read it was.
func TestAPanicOfASharedRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		reads := coalesce.Next[int, string]{Log: slog.New(slog.NewTextHandler(&log, nil))}
		var all sync.WaitGroup
		underWay(&reads, &all)
		all.Go(func() {
			if _, err := reads.Do(t.Context(), 1, func(context.Context) (string, error) { panic("!") }); blog.KindOf(err) != blog.Internal {
				t.Errorf("%v", err)
			}
		})
		synctest.Wait()
		for range 2 {
			all.Go(func() {
				if got, err := reads.Do(t.Context(), 1, func(context.Context) (string, error) { return "read", nil }); got != "read" || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
		all.Wait()
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "alike_test.go") {
			t.Errorf("the log has %q, want one line with the stack", text)
		}
	})
}

// Whatever callers do, none is told what was so before it asked, and none fails as long as it
// has time, where no read fails but for its own.
func TestRandomCallers(t *testing.T) {
	seed := storetest.Seed(t)
	for run := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, run))
			var written [4]atomic.Int64
			reading := func(ctx context.Context, key int, takes time.Duration) (int64, error) {
				value := written[key].Load()
				select {
				case <-ctx.Done():
					return 0, ctx.Err()
				case <-time.After(takes):
					return value, nil
				}
			}
			var reads coalesce.Next[int, int64]
			ways := []func(context.Context, int, func(context.Context) (int64, error)) (int64, error){reads.Do}
			if run%2 == 1 { // keys together
				ways = append(ways, reads.Later)
				takes := upTo(random, 80*time.Millisecond)
				reads.Slots, reads.Most.Count = 1+random.IntN(2), 1+random.IntN(4)
				reads.Many = func(ctx context.Context, keys []int) (map[int]int64, error) {
					values := map[int]int64{}
					for _, key := range keys {
						values[key] = written[key].Load()
					}
					_, err := reading(ctx, 0, takes)
					return values, err
				}
			}
			var all sync.WaitGroup
			for range 16 {
				own := rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
				all.Go(func() {
					for range 20 {
						time.Sleep(upTo(own, 30*time.Millisecond))
						key := own.IntN(2 + 2*int(run%2))
						before := written[key].Add(own.Int64N(2))
						ctx, cancel := context.WithCancel(t.Context())
						switch own.IntN(3) {
						case 0:
							ctx, cancel = context.WithTimeout(ctx, upTo(own, 60*time.Millisecond))
						case 1:
							time.AfterFunc(upTo(own, 60*time.Millisecond), cancel)
						}
						takes := upTo(own, 80*time.Millisecond)
						got, err := ways[own.IntN(len(ways))](ctx, key, func(ctx context.Context) (int64, error) { return reading(ctx, key, takes) })
						switch {
						case err != nil && ctx.Err() == nil && hasTime(ctx):
							t.Errorf("run %d: a caller with time is told %v", run, err)
						case err == nil && got < before:
							t.Errorf("run %d: a caller is told %d, of %d before it asked", run, got, before)
						}
						cancel()
					}
				})
			}
			all.Wait()
			synctest.Wait()
			if n := reads.Keys(); n > 0 {
				t.Errorf("run %d: %d keys are kept for which nothing is under way", run, n)
			}
		})
	}
}

func upTo(random *rand.Rand, longest time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(longest)))
}

func hasTime(ctx context.Context) bool {
	until, bounded := ctx.Deadline()
	return !bounded || time.Until(until) > 0
}
