package slots_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/internal/slots"
)

// So many of a key are under way at a time, the others after them in the order in which they came, and none waits
// for another key's.
func TestEachKeyHasItsSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		each := slots.NewEach[string](2)
		began := time.Now()
		var mu sync.Mutex
		var order strings.Builder
		var all sync.WaitGroup
		enter := func(key, name string, wait time.Duration) {
			all.Go(func() {
				defer each.Enter(key, nil)()
				if waited := time.Since(began); waited != wait {
					t.Errorf("%s waited %v, want %v", name, waited, wait)
				}
				mu.Lock()
				order.WriteString(name)
				mu.Unlock()
				time.Sleep(time.Second)
			})
			synctest.Wait()
		}
		enter("one", "a", 0)
		enter("one", "b", 0)
		enter("one", "c", time.Second)
		enter("one", "d", time.Second)
		enter("one", "e", 2*time.Second)
		enter("other", "z", 0)
		if got := each.Users(); got != 6 {
			t.Errorf("%d hold slots or wait, want 6", got)
		}
		all.Wait()
		if got := order.String(); !strings.HasPrefix(got, "abz") || !strings.HasSuffix(got, "e") {
			t.Errorf("they entered in the order %s", got)
		}
		if got := each.Users(); got != 0 {
			t.Errorf("%d hold slots or wait, and all have left", got)
		}
	})
}

// Who does not wait any longer has no slot, and takes none from those that do.
func TestWhoLeavesBeforeThereIsASlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		each := slots.NewEach[int](1)
		first := each.Enter(7, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		leave := each.Enter(7, ctx.Done())
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("it waited %v", waited)
		}
		leave()
		if got := each.Users(); got != 1 {
			t.Errorf("%d hold slots or wait, want the first caller", got)
		}
		first()
		each.Enter(7, nil)()
		if got := each.Users(); got != 0 {
			t.Errorf("%d hold slots or wait, and all have left", got)
		}
	})
}
