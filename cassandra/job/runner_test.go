package job

import (
	"fmt"
	"testing"

	"broadsheet/blog"
)

// An account may run as many jobs as it leaves slots for others: one that has a job always finds one.
func TestAnAccountLeavesSlots(t *testing.T) {
	t.Parallel()
	var r running
	var ends []func()
	account := func(n byte) blog.UserID { return blog.UserID{UUID: blog.UUID{n}} }
	for n, want := range []int{4, 2, 1, 1, 0} {
		got := 0
		for i := range 8 {
			if end, free := r.begin(Job{Kind: blog.SweepJob, Account: account(byte(n))}, fmt.Sprint(n, i), 8); free {
				got, ends = got+1, append(ends, end)
			}
		}
		if got != want {
			t.Errorf("account %d has %d of 8 slots, want %d", n, got, want)
		}
	}
	for _, end := range ends {
		end()
	}
	if len(r.names) > 0 || len(r.of) > 0 || r.now()[blog.SweepJob].Running != 0 {
		t.Errorf("%d jobs of %d accounts run after their ends", len(r.names), len(r.of))
	}
}
