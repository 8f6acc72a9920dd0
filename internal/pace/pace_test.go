package pace

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Recovery cuts jobs off after 10 s: what they reserved and did not write is given back.
func TestWaitsThatAreCancelledOweNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := Pace[string]{Every: time.Second / 5000}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 1000 {
			if p.Wait(gone, "ann", 100) == nil {
				t.Fatal("a wait without a context succeeds")
			}
		}
		began := time.Now()
		for range 3 {
			if err := p.Wait(t.Context(), "ann", 5000); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("15,000 units at 5,000 a second begin after %v, want 2 s", took)
		}
	})
}
