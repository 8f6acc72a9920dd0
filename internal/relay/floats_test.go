package relay_test

import (
	"math"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// From 2^53 on a float stands for several whole numbers, so it is none of them.
func TestFloatsThatStandForSeveralNumbers(t *testing.T) {
	for _, n := range []float64{1 << 53, -1 << 53, 1e300, math.Inf(1), math.NaN()} {
		if id, err := relay.UnmarshalID(n); blog.KindOf(err) != blog.Invalid {
			t.Errorf("%f: %q, %v; want an Invalid", n, id, err)
		}
	}
}
