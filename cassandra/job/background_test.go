package job

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// What panics in the background is a line of the log, with the stack, and its slot is free then.
// A bubble of synctest fails where a goroutine is left.
func TestPanicInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		b := NewBackground(1, slog.New(slog.NewTextHandler(&log, nil)))
		b.Run(t.Context(), func(context.Context) { panic("boom") })
		if err := b.Wait(t.Context()); err != nil || !b.Try(func(context.Context) {}) {
			t.Errorf("%v, or its slot is still taken", err)
		}
		synctest.Wait()
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "background_test.go") {
			t.Errorf("the log has %q, want one line with the stack", text)
		}
	})
}
