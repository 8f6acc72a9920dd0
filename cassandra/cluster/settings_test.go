package cluster

import (
	"testing"
	"time"
)

func TestAmountsOfSettings(t *testing.T) {
	for text, want := range map[string]float64{
		"2d": 48 * float64(time.Hour), "20h": 20 * float64(time.Hour), "5m": 5 * float64(time.Minute), "7s": 7 * float64(time.Second),
		"36000000ms": 10 * float64(time.Hour), "1us": 1000, "3ns": 3, "50KiB": 50 << 10, "1MiB": 1 << 20, "5000": 5000,
		"": 0, "null": 0, "2 weeks": 0, "true": 0, "-1": 0,
	} {
		if got, ok := amount(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
	}
	if n, ok := amount("false"); n != 0 || !ok {
		t.Errorf("false: %v %v", n, ok)
	}
}
