package embedded_test

import (
	"log/slog"
	"testing"

	"broadsheet/embedded"
)

var quiet = slog.New(slog.DiscardHandler)

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
