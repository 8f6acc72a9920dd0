package main

import "testing"

// Little that is used has its garbage collected rarely, much as often as Go does.
func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 500, 4 << 20: 500, 10 << 20: 200, 20 << 20: 100, 1 << 30: 100} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes: %d %%, not %d %%", live, got, want)
		}
	}
}
