package cluster

import (
	"testing"
	"time"
)

func TestSettingDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"2d": 48 * time.Hour, "20h": 20 * time.Hour, "5m": 5 * time.Minute, "7s": 7 * time.Second,
		"36000000ms": 10 * time.Hour, "1us": time.Microsecond, "3ns": 3, "": 0, "null": 0, "2 weeks": 0, "h": 0,
	} {
		if got, ok := settingDuration(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
	}
}
