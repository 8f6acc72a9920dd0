package document_test

import (
	"strings"
	"testing"
	"unsafe"

	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/relay"
)

// What is kept of a long URL is the document, not the URL.
func TestADocumentsTextIsItsOwn(t *testing.T) {
	long := strings.Repeat("x", 1<<16) + "{__typename}"
	text := long[1<<16:]
	doc, errs := document.New(schema, relay.Scalars, &limit.Default, true).Prepare(t.Context(), nil, text)
	if errs != nil {
		t.Fatal(errs)
	}
	kept := doc.Operations[0].Position.Src.Input
	if kept != text {
		t.Fatalf("%q is kept", kept)
	}
	if unsafe.StringData(kept) == unsafe.StringData(text) {
		t.Error("the whole URL is kept with it")
	}
}
