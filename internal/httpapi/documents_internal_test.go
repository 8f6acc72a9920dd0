package httpapi

import (
	"strings"
	"testing"
	"unsafe"

	"broadsheet/internal/httpapi/limit"
)

// What is kept of a long URL is the text, not the URL.
func TestAPersistedTextIsItsOwn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<16) + "{__typename}"
	text := long[1<<16:]
	d := newDocuments(Config{Limits: limit.Values{limit.PersistedQueries: 10}})
	d.keep("hash", text)
	kept, ok := d.automatic.Get("hash")
	if !ok || kept != text {
		t.Fatalf("%q is kept", kept)
	}
	if unsafe.StringData(kept) == unsafe.StringData(text) {
		t.Error("the whole URL is kept with it")
	}
}
