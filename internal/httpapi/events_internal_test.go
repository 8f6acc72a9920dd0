package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// counting is a response of which nothing is kept but its length.
type counting struct {
	http.ResponseWriter
	bytes int
}

func (c *counting) Write(b []byte) (int, error) { c.bytes += len(b); return len(b), nil }
func (c *counting) Flush()                      {}

// An answer is an event of megabytes without being copied.
func TestALargeEventIsNotCopied(t *testing.T) {
	answer := bodyOf(&graphql.Response{Data: bytes.Repeat([]byte("x"), 8<<20)})
	response := &counting{ResponseWriter: httptest.NewRecorder()}
	_, cancel := context.WithCancelCause(t.Context())
	e := &events{api: &API{}, w: response, control: http.NewResponseController(response), cancel: cancel}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sent := e.next(answer, "behind")
	runtime.ReadMemStats(&after)
	if want := len("event: next\nid: behind\ndata: \n\n") + answer.len(); !sent || response.bytes != want {
		t.Errorf("%d bytes were written (%v), not %d", response.bytes, sent, want)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("an event of %d bytes took %d more", answer.len(), took)
	}
}
