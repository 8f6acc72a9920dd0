package httpapi

import "testing"

// In each second the first hundred requests have a line, and then each Nth.
func TestSampler(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		requests int
		every    uint64
		want     int
	}{{100, 50, 100}, {149, 50, 100}, {300, 50, 104}, {300, 1, 300}} {
		var s sampler
		for second := range int64(3) {
			taken := 0
			for range c.requests {
				if s.take(second, c.every) {
					taken++
				}
			}
			if taken != c.want {
				t.Errorf("of %d requests of second %d %d have a line with each %dth, want %d", c.requests, second, taken, c.every, c.want)
			}
		}
	}
}
