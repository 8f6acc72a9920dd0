package embedded_test

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"broadsheet/embedded"
)

var quiet = slog.New(slog.DiscardHandler)

// leakless fails where goroutines are left when the test ends. A store that died of
// a fault leaves some, so it is not for the whole package.
func leakless(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

// closing returns a store that was opened, and closes it when the test ends.
func closing(t *testing.T) func(*embedded.Store, error) *embedded.Store {
	return func(s *embedded.Store, err error) *embedded.Store {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		return s
	}
}
