package pace

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// ends runs the work of some parties, each in pieces of 100 units one after the other, at 5,000 units
// a second, and returns when each has ended.
func ends(t *testing.T, units map[string]int) map[string]time.Duration {
	s := Pace[string]{Every: time.Second / 5000}
	began, ended := time.Now(), map[string]time.Duration{}
	var all sync.WaitGroup
	var mu sync.Mutex
	for party, units := range units {
		all.Go(func() {
			for ; units >= 0; units -= 100 { // the last piece begins when all before it are paid for
				if err := s.Wait(t.Context(), party, 100); err != nil {
					t.Error(err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			ended[party] = time.Since(began)
		})
	}
	all.Wait()
	return ended
}

// Parties have equal parts of the rate while they are at work, and all of it when they are alone.
func TestPartiesHaveEqualParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		if took := ends(t, map[string]int{"ann": 10_000})["ann"]; took != 2*time.Second {
			t.Errorf("10,000 units of one party take %v, want 2 s", took)
		}
		took := ends(t, map[string]int{"ann": 10_000, "bob": 1_000, "eve": 1_000})
		for party, want := range map[string]time.Duration{"bob": 600 * time.Millisecond, "eve": 600 * time.Millisecond, "ann": 2400 * time.Millisecond} {
			const apart = 100 * time.Millisecond // the first piece of each is reserved beside fewer parties
			if is := took[party]; is < want-apart || is > want+apart {
				t.Errorf("%s, one of three parties, ends after %v, want %v", party, is, want)
			}
		}
	})
}

// Whatever others have reserved, a party that comes begins at once, and one that does little goes on
// without a wait.
func TestAPartyThatComesBeginsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := Pace[int]{Every: time.Second / 5000}
		ctx, cancel := context.WithCancel(t.Context())
		var others sync.WaitGroup
		for range 25 {
			others.Go(func() { _ = s.Wait(ctx, 1, 400) })
		}
		synctest.Wait()
		began := time.Now()
		for range 3 {
			if err := s.Wait(t.Context(), 2, 2); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond) // a page is read
		}
		if took := time.Since(began); took != 3*time.Millisecond {
			t.Errorf("three pages of a party that comes take %v beside 25 others' jobs, want 3 ms", took)
		}
		cancel()
		others.Wait()
		if err := s.Wait(t.Context(), 1, 1); err != nil || time.Since(began) > 103*time.Millisecond {
			t.Errorf("%v, after %v: waits that were cancelled are paid for", err, time.Since(began))
		}
	})
}
