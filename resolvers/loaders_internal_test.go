package resolvers

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/internal/refusal"
)

// recorder is a dispatch that notes the keys of each batch and answers ten times
// the key.
type recorder struct {
	mu      sync.Mutex
	batches [][]int
}

func (r *recorder) read(_ context.Context, keys []int) []*dataloader.Result[int] {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches = append(r.batches, slices.Clone(keys))
	results := make([]*dataloader.Result[int], len(keys))
	for i, key := range keys {
		results[i] = &dataloader.Result[int]{Data: 10 * key}
	}
	return results
}

func (r *recorder) want(t *testing.T, batches ...[]int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.EqualFunc(r.batches, batches, slices.Equal[[]int]) {
		t.Errorf("the batches were %v, want %v", r.batches, batches)
	}
}

func TestKeysStartedTogetherAreOneBatch(t *testing.T) {
	r := &recorder{}
	l := loaderOf(r.read)
	l.start(t.Context(), 1, 2, 3, 2, 1)
	for key := 1; key <= 3; key++ {
		if got, err := l.load(t.Context(), key); got != 10*key || err != nil {
			t.Errorf("%d: %d, %v", key, got, err)
		}
	}
	r.want(t, []int{1, 2, 3})
	l.start(t.Context(), 3, 4, 1)
	if _, err := l.load(t.Context(), 4); err != nil {
		t.Error(err)
	}
	r.want(t, []int{1, 2, 3}, []int{4})
	l.start(t.Context())
	r.want(t, []int{1, 2, 3}, []int{4})
}

func TestKeyIsReadOnceHoweverManyAskAtOnce(t *testing.T) {
	r := &recorder{}
	l := loaderOf(r.read)
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			l.start(t.Context(), 1, 2)
			if got, err := l.load(t.Context(), 2); got != 20 || err != nil {
				t.Errorf("%d, %v", got, err)
			}
		})
	}
	all.Wait()
	r.want(t, []int{1, 2})
}

// The time of the bubble moves only while everybody waits: the 16 ms after which
// dataloader sends off a batch by itself would show.
func TestLoadingWaitsForNoClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		l := loaderOf((&recorder{}).read)
		l.start(t.Context(), 1, 2, 3, 3, 1)
		l.start(t.Context(), 3, 4)
		l.start(t.Context())
		for key := range 6 {
			if _, err := l.load(t.Context(), key); err != nil {
				t.Error(err)
			}
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestEachReadIsOnItsOwn(t *testing.T) {
	failed := errors.New("no answer")
	l := loaderOf(each(2, func(_ context.Context, key int) (int, error) {
		switch key {
		case 1:
			return 0, failed
		case 2:
			panic("boom")
		}
		return key, nil
	}))
	l.start(t.Context(), 1, 2, 3)
	if _, err := l.load(t.Context(), 1); err != failed {
		t.Errorf("the failing key: %v", err)
	}
	if _, err := l.load(t.Context(), 2); blog.KindOf(err) != blog.Internal {
		t.Errorf("the panicking key: %v, want an Internal", err)
	}
	if got, err := l.load(t.Context(), 3); got != 3 || err != nil {
		t.Errorf("the third key: %d, %v", got, err)
	}
}

// gqlgen writes into an error of its own kind where it arose.
func TestAnErrorIsWrittenIntoByOneRow(t *testing.T) {
	failed := &gqlerror.Error{Message: "no room", Extensions: map[string]any{"code": "X"}}
	l := loaderOf(each(2, func(context.Context, int) (int, error) { return 0, failed }))
	_, first := l.load(t.Context(), 1)
	_, second := l.load(t.Context(), 1)
	var a, b *gqlerror.Error
	if !errors.As(first, &a) || !errors.As(second, &b) || a == b || a == failed || b == failed {
		t.Errorf("two rows were given %p and %p of the read's %p", first, second, failed)
	}
	if a.Message != failed.Message || a.Extensions["code"] != "X" {
		t.Errorf("the error became %+v", a)
	}
}

func TestOneReadForAllKeys(t *testing.T) {
	reads := 0
	l := loaderOf(batched(func(_ context.Context, keys []int) (map[int]int, error) {
		reads++
		return map[int]int{keys[0]: 7}, nil
	}))
	l.start(t.Context(), 1, 2)
	first, err1 := l.load(t.Context(), 1)
	second, err2 := l.load(t.Context(), 2)
	if first != 7 || second != 0 || err1 != nil || err2 != nil || reads != 1 {
		t.Errorf("%d, %d, %v, %v after %d reads; want 7, 0 after one", first, second, err1, err2, reads)
	}
	broken := loaderOf(batched(func(context.Context, []int) (map[int]int, error) { panic("boom") }))
	if _, err := broken.load(t.Context(), 1); blog.KindOf(err) != blog.Internal {
		t.Errorf("a panic: %v, want an Internal", err)
	}
}

func TestEveryKindHasACode(t *testing.T) {
	for _, kind := range blog.Kinds() {
		if codes[kind] == "" {
			t.Errorf("%v has no code", kind)
		}
	}
	if len(codes) != len(blog.Kinds()) {
		t.Errorf("%d codes for %d kinds", len(codes), len(blog.Kinds()))
	}
	for _, code := range []string{refusal.CodeInternal, refusal.CodeTimeout, refusal.CodeUnavailable} {
		if messages[code] == "" {
			t.Errorf("%s has no message of its own", code)
		}
	}
}

// BenchmarkLoad is what a loader adds to the reads of a page: sent off at once, and
// by dataloader's own pause.
func BenchmarkLoad(b *testing.B) {
	keys := make([]int, 20)
	for i := range keys {
		keys[i] = i
	}
	read := each(2, func(_ context.Context, key int) (int, error) { return key, nil })
	b.Run("started together", func(b *testing.B) {
		for b.Loop() {
			l := loaderOf(read)
			l.start(b.Context(), keys...)
			for _, key := range keys {
				_, _ = l.load(b.Context(), key)
			}
		}
	})
	b.Run("dataloader's default", func(b *testing.B) {
		for b.Loop() {
			_, _ = dataloader.NewBatchedLoader(read).LoadMany(b.Context(), keys)()
		}
	})
}

func loaderOf[K comparable, V any](read dataloader.BatchFunc[K, V]) *loader[K, V] {
	return &loader[K, V]{read: read}
}
