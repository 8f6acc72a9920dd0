package httpapi

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/internal/httpapi/limit"
)

// As many requests wait as may, and the next is refused at once, whoever let it come so far.
func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(&limit.Default)
		var leaves []func()
		for range limit.Default.Int(limit.Concurrency) {
			leave, ok := g.enter(t.Context())
			if !ok {
				t.Fatal("there is a place, and it was not given")
			}
			leaves = append(leaves, leave)
		}
		var waiting sync.WaitGroup
		var mu sync.Mutex
		served := 0
		for range limit.Default.Int(limit.Queue) {
			if g.full() {
				t.Error("it is full before it is")
			}
			waiting.Go(func() {
				leave, ok := g.enter(t.Context())
				if !ok {
					t.Error("one who may wait was refused")
					return
				}
				mu.Lock()
				served++
				mu.Unlock()
				leave()
			})
			synctest.Wait()
		}
		began := time.Now()
		if _, ok := g.enter(t.Context()); ok || !g.full() || time.Since(began) > 0 {
			t.Errorf("one more: let in %v, after %s; full %v", ok, time.Since(began), g.full())
		}
		for _, leave := range leaves {
			leave()
		}
		waiting.Wait()
		if served != limit.Default.Int(limit.Queue) || g.full() || g.waiting.Load() != 0 {
			t.Errorf("%d of %d who waited were let in; %d wait still", served, limit.Default.Int(limit.Queue), g.waiting.Load())
		}
	})
}

// Who has waited long enough goes, and leaves his room to wait to others.
func TestWhoWaitsGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(&limit.Values{limit.Concurrency: 1, limit.Queue: 1, limit.QueueTime: 1})
		leave, _ := g.enter(t.Context())
		for range 3 {
			began := time.Now()
			if _, ok := g.enter(t.Context()); ok || time.Since(began) != time.Second {
				t.Errorf("it was let in (%v) after %s", ok, time.Since(began))
			}
		}
		leave()
		if leave, ok := g.enter(t.Context()); !ok {
			t.Error("there is a place, and it was not given")
		} else {
			leave()
		}
	})
}
