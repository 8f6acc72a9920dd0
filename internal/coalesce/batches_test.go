package coalesce_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"
)

// takes is how long a call and a batch take here.
const takes = 25 * time.Millisecond

// batches is a Next over text keys that are answered together, and writes down what is called.
type batches struct {
	coalesce.Next[string, int]
	mu     sync.Mutex
	called [][]string
	value  int // that is read next
	fails  func(keys []string) error
	ctx    context.Context // of the last call
}

func newBatches(slots int) *batches {
	b := &batches{}
	b.Slots, b.Most = slots, coalesce.Size{Count: 32}
	b.Many = func(ctx context.Context, keys []string) (map[string]int, error) {
		value, err := b.call(ctx, keys...)
		values := map[string]int{}
		for _, key := range keys {
			values[key] = value
		}
		return values, err
	}
	return b
}

func (b *batches) call(ctx context.Context, keys ...string) (int, error) {
	b.mu.Lock()
	b.called, b.ctx = append(b.called, keys), ctx
	value := b.value
	b.mu.Unlock()
	time.Sleep(takes) // of the bubble's clock
	if b.fails != nil {
		return value, b.fails(keys)
	}
	return value, nil
}

func (b *batches) one(ctx context.Context, key string) (int, error) {
	return b.Do(ctx, key, func(ctx context.Context) (int, error) { return b.call(ctx, key) })
}

// ask asks for keys at once, in their order, and returns what each is told. What each reads is
// higher than what was there when the one before it came.
func (b *batches) ask(t *testing.T, keys ...string) ([]int, []error) {
	t.Helper()
	values, errs := make([]int, len(keys)), make([]error, len(keys))
	var all sync.WaitGroup
	for i, key := range keys {
		all.Go(func() { values[i], errs[i] = b.one(t.Context(), key) })
		synctest.Wait()
		b.mu.Lock()
		b.value++
		b.mu.Unlock()
	}
	all.Wait()
	synctest.Wait()
	return values, errs
}

// wantFree fails where a slot is taken: all that a Next has begin a call at once.
func (b *batches) wantFree(t *testing.T) {
	t.Helper()
	b.fails = nil
	var all sync.WaitGroup
	began := time.Now()
	for range b.Slots {
		all.Go(func() { _, _ = b.one(t.Context(), "free") })
		synctest.Wait()
	}
	all.Wait()
	if took := time.Since(began); took != takes {
		t.Errorf("the slots are not free: %d calls at once took %v", b.Slots, took)
	}
}

// A call that finds a slot is made at once, by itself. What comes meanwhile is one batch, each
// key in it once, which sees what all of them have to see.
func TestWhatWaitsIsOneBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatches(1)
		values, errs := b.ask(t, "a", "a", "b", "a")
		if !slices.Equal(values, []int{0, 4, 4, 4}) || errors.Join(errs...) != nil {
			t.Errorf("told %v, %v", values, errs)
		}
		if len(b.called) != 2 || !slices.Equal(b.called[1], []string{"a", "b"}) {
			t.Errorf("called %v", b.called)
		}
		b.wantFree(t)
	})
}

// A batch that failed sends each of its callers on its own way, or is the error of each.
func TestABatchFails(t *testing.T) {
	t.Parallel()
	bad, away := blog.Errorf(blog.Internal, "bad"), blog.Errorf(blog.Unavailable, "away")
	hasBad := func(keys []string) error {
		if slices.Contains(keys, "bad") {
			return bad
		}
		return nil
	}
	ofSeveral := func(keys []string) error {
		if len(keys) > 1 {
			return away
		}
		return nil
	}
	for name, tc := range map[string]struct {
		again func(error) bool
		fails func([]string) error
		want  []error
	}{
		"each goes its own way":              {nil, ofSeveral, []error{nil, nil, nil, nil}},
		"one bad call harms no other":        {nil, hasBad, []error{nil, nil, bad, nil}},
		"it may pass, and is not tried anew": {func(err error) bool { return err == bad }, ofSeveral, []error{nil, away, away, away}},
		"it is tried anew for what was bad":  {func(err error) bool { return err == bad }, hasBad, []error{nil, nil, bad, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBatches(1)
				b.Again, b.fails = tc.again, tc.fails
				if _, errs := b.ask(t, "first", "good", "bad", "too"); !slices.Equal(errs, tc.want) {
					t.Errorf("the errors are %v, want %v", errs, tc.want)
				}
				b.wantFree(t)
			})
		})
	}
}

// A batch of one key that failed is its first caller's error: the others try by themselves.
func TestABatchOfOneKeyFails(t *testing.T) {
	t.Parallel()
	away := blog.Errorf(blog.Unavailable, "away")
	synctest.Test(t, func(t *testing.T) {
		b, calls := newBatches(1), atomic.Int64{}
		b.fails = func([]string) error {
			if calls.Add(1) == 2 {
				return away
			}
			return nil
		}
		if _, errs := b.ask(t, "a", "a", "a", "a"); !slices.Equal(errs, []error{nil, away, nil, nil}) {
			t.Errorf("the errors are %v", errs)
		}
		if len(b.called) != 4 {
			t.Errorf("called %v", b.called)
		}
	})
}

// Batches are no larger than they may be, by their count and by their bytes.
func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	keys := strings.Fields("a b c d eeee ffff gggggggggggg h i")
	for name, tc := range map[string]struct {
		most   coalesce.Size
		sizeOf func(string) coalesce.Size
		want   []int // keys in each batch
	}{
		"by the number of keys": {coalesce.Size{Count: 3}, nil, []int{1, 3, 3, 2}},
		"by their counts":       {coalesce.Size{Count: 4}, func(string) coalesce.Size { return coalesce.Size{Count: 2} }, []int{1, 2, 2, 2, 2}},
		"by their bytes": {coalesce.Size{Count: 9, Bytes: 8},
			func(key string) coalesce.Size { return coalesce.Size{Count: 1, Bytes: len(key)} }, []int{1, 4, 1, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBatches(1)
				b.Most, b.SizeOf = tc.most, tc.sizeOf
				_, _ = b.ask(t, keys...)
				var got []int
				for _, called := range b.called {
					got = append(got, len(called))
				}
				if !slices.Equal(got, tc.want) || !slices.Equal(slices.Concat(b.called...), keys) {
					t.Errorf("called %v, want batches of %v", b.called, tc.want)
				}
			})
		})
	}
}

// Several batches are under way at once, as many as there are slots.
func TestSeveralSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatches(3)
		b.Most.Count = 1
		began := time.Now()
		_, _ = b.ask(t, strings.Fields("a b c d e f g")...)
		if took := time.Since(began); took != 3*takes || len(b.called) != 7 {
			t.Errorf("%d calls took %v", len(b.called), took)
		}
		b.wantFree(t)
	})
}

// A call in no hurry goes with the next one that is, of whatever key, or where none comes by itself
// after a while. What comes meanwhile in no hurry does not put that off.
func TestCallsInNoHurry(t *testing.T) {
	t.Parallel()
	const patience = 5 * time.Millisecond
	for name, tc := range map[string]struct {
		hurries string
		want    [][]string
		after   time.Duration // of the first
	}{
		"none comes":          {"", [][]string{{"a", "b"}}, patience},
		"one comes":           {"c", [][]string{{"a", "b", "c"}}, 2 * time.Millisecond},
		"one of the same key": {"a", [][]string{{"a", "b"}}, 2 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBatches(2)
				began := time.Now()
				var all sync.WaitGroup
				for _, key := range []string{"a", "b"} {
					all.Go(func() {
						got, err := b.Later(t.Context(), key, func(ctx context.Context) (int, error) { return b.call(ctx, key) })
						if took := time.Since(began); got != 0 || err != nil || took != tc.after+takes {
							t.Errorf("%s: told %d, %v after %v", key, got, err, took)
						}
					})
					time.Sleep(time.Millisecond)
				}
				if tc.hurries != "" {
					_, _ = b.one(t.Context(), tc.hurries)
				}
				all.Wait()
				if !slices.EqualFunc(b.called, tc.want, slices.Equal) {
					t.Errorf("called %v, want %v", b.called, tc.want)
				}
				b.wantFree(t)
			})
		})
	}
}

// Where no slot is free, a call in no hurry waits for one like any other.
func TestCallsInNoHurryWaitForASlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatches(1)
		var all sync.WaitGroup
		all.Go(func() { _, _ = b.one(t.Context(), "a") })
		synctest.Wait()
		began := time.Now()
		if _, err := b.Later(t.Context(), "b", func(ctx context.Context) (int, error) { return b.call(ctx, "b") }); err != nil || time.Since(began) != 2*takes {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		all.Wait()
		b.wantFree(t)
	})
}

// A batch that may take long keeps its slot, so none begins beside it.
func TestASlotIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatches(1)
		b.Stall = time.Hour
		underWay := 0
		b.fails = func([]string) error {
			if underWay++; underWay > 1 {
				t.Error("two are under way")
			}
			time.Sleep(time.Minute)
			underWay--
			return nil
		}
		if _, errs := b.ask(t, "a", "b", "c"); errors.Join(errs...) != nil || len(b.called) != 2 {
			t.Errorf("called %v: %v", b.called, errs)
		}
	})
}

// A call that hangs holds up no others for long, and a call whose only caller has left is not
// made.
func TestACallHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatches(1)
		hang := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			_, _ = b.Do(t.Context(), "hangs", func(context.Context) (int, error) { <-hang; return 0, nil })
		})
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), takes)
		defer cancel()
		if _, err := b.one(short, "gone"); blog.KindOf(err) != blog.Timeout {
			t.Errorf("a call whose time is over: %v", err)
		}
		if _, errs := b.ask(t, "next", "too"); errors.Join(errs...) != nil {
			t.Error(errs)
		}
		close(hang)
		all.Wait()
		if !slices.EqualFunc(b.called, [][]string{{"next", "too"}}, slices.Equal) {
			t.Errorf("called %v", b.called)
		}
		b.wantFree(t)
	})
}

// A call that stalled has given its slot up: what has it meanwhile has it to its own end.
func TestAStalledCallEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatches(1)
		hang := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			_, _ = b.Do(t.Context(), "hangs", func(context.Context) (int, error) { <-hang; return 0, nil })
		})
		time.Sleep(time.Minute)
		began := time.Now()
		all.Go(func() { _, _ = b.one(t.Context(), "second") })
		synctest.Wait()
		close(hang)
		synctest.Wait()
		if _, err := b.one(t.Context(), "third"); err != nil || time.Since(began) != 2*takes {
			t.Errorf("%v after %v, want it after the second", err, time.Since(began))
		}
		all.Wait()
	})
}

// A batch without a limit has the latest deadline of the callers of all its calls.
func TestTheDeadlineOfABatch(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]time.Duration{"it is the last": {time.Second, time.Minute}, "it is the first": {time.Minute, time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBatches(1)
			var all sync.WaitGroup
			all.Go(func() { _, _ = b.one(t.Context(), "first") })
			synctest.Wait()
			began := time.Now()
			for i, patience := range order {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					_, _ = b.one(ctx, string(rune('a'+i)))
				})
				synctest.Wait()
			}
			all.Wait()
			if until, _ := b.ctx.Deadline(); until.Sub(began) != time.Minute {
				t.Errorf("%s: the batch has %v", name, until.Sub(began))
			}
		})
	}
}

// A batch with a limit goes on though its callers leave, for as long as that, and one that
// takes longer is told to all as something that passes.
func TestTheLimitOfABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatches(1)
		b.Limit, b.Again = time.Second, func(error) bool { return false }
		var all sync.WaitGroup
		all.Go(func() { _, _ = b.one(t.Context(), "first") })
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), takes+time.Millisecond)
		defer cancel()
		began := time.Now()
		for _, key := range []string{"a", "b"} {
			all.Go(func() {
				if _, err := b.one(short, key); blog.KindOf(err) != blog.Timeout {
					t.Errorf("%s: %v", key, err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		synctest.Wait()
		until, _ := b.ctx.Deadline()
		if err := b.ctx.Err(); err != nil || until.Sub(began) != takes+time.Second {
			t.Errorf("the batch that its callers have left has %v, %v", until.Sub(began), err)
		}
		time.Sleep(takes)
		synctest.Wait()
		b.fails = func(keys []string) error {
			if len(keys) > 1 {
				time.Sleep(time.Minute)
				return b.ctx.Err()
			}
			return nil
		}
		_, errs := b.ask(t, "first", "a", "b")
		for _, err := range errs[1:] {
			if blog.KindOf(err) != blog.Unavailable {
				t.Errorf("a batch that took too long: %v", err)
			}
		}
	})
}

// The context of a batch has the values of its first caller.
func TestTheValuesOfABatch(t *testing.T) {
	t.Parallel()
	type whose struct{}
	synctest.Test(t, func(t *testing.T) {
		b := newBatches(1)
		var all sync.WaitGroup
		for i, key := range []string{"a", "b", "c"} {
			all.Go(func() { _, _ = b.one(context.WithValue(t.Context(), whose{}, i), key) })
			synctest.Wait()
		}
		all.Wait()
		if got := b.ctx.Value(whose{}); got != 1 {
			t.Errorf("the batch has the values of %v", got)
		}
	})
}

// A panic in a batch is logged once, with the stack, and fails the batch like an error.
func TestABatchPanics(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"each goes its own way": true, "it is told to all": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				b := newBatches(1)
				b.Log, b.Again = slog.New(slog.NewTextHandler(&log, nil)), func(error) bool { return again }
				b.fails = func(keys []string) error {
					if len(keys) > 1 {
						panic("boom")
					}
					return nil
				}
				_, errs := b.ask(t, "first", "a", "b")
				for _, err := range errs[1:] {
					if again && err != nil || !again && blog.KindOf(err) != blog.Internal {
						t.Errorf("told %v", err)
					}
				}
				if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "batches_test.go") {
					t.Errorf("the log has %q, want one line with the stack", text)
				}
				b.wantFree(t)
			})
		})
	}
}

// A call that is made by itself panics where its caller is, who recovers; its slot is free.
func TestACallByItselfPanics(t *testing.T) {
	t.Parallel()
	for name, many := range map[string]bool{"keys apart": false, "keys together": true} {
		synctest.Test(t, func(t *testing.T) {
			var next coalesce.Next[int, int]
			if many {
				next.Many = func(context.Context, []int) (map[int]int, error) { return nil, nil }
			}
			err := blog.Safely(func() error {
				_, err := next.Do(t.Context(), 1, func(context.Context) (int, error) { panic("boom") })
				return err
			})
			if blog.KindOf(err) != blog.Internal {
				t.Errorf("%s: %v", name, err)
			}
			began := time.Now()
			if got, err := next.Do(t.Context(), 1, read); got != 1 || err != nil || time.Since(began) > 0 {
				t.Errorf("%s: after it %d, %v after %v", name, got, err, time.Since(began))
			}
		})
	}
}
