package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// A body is what encoding/json makes of it, with nothing escaped for HTML.
func TestBodies(t *testing.T) {
	t.Parallel()
	failure := gqlerror.List{{Message: "a < b & \"c\"\u2028", Extensions: map[string]any{"code": "<>"}}}
	for name, response := range map[string]graphql.Response{
		"nothing":              {},
		"data":                 {Data: []byte(`{"a":1}`)},
		"null":                 {Data: []byte(`null`), Errors: failure},
		"errors alone":         {Errors: failure},
		"all":                  {Data: []byte(`{"a":null}`), Errors: failure, Extensions: map[string]any{"cost": map[string]int{"reads": 3}}},
		"extensions, empty":    {Data: []byte(`{}`), Extensions: map[string]any{}},
		"what HTML would take": {Data: []byte(`{"a":"<b>&amp;</b>"}`)},
		"greater":              {Data: []byte(`{"a":">"}`)},
		"ampersand":            {Data: []byte(`{"a":"&"}`)},
		"line separators":      {Data: []byte("{\"a\":\"\u2028 \u2029 \u2027 \u20ac\"}")},
		"escapes":              {Data: []byte(`{"a":"\u0001\\\"\n"}`)},
		"no UTF-8":             {Data: []byte("{\"a\":\"\xff\xe2\x80\"}")},
		"long":                 {Data: []byte(`{"a":"` + strings.Repeat("é ", 10_000) + `"}`)},
	} {
		var plain bytes.Buffer
		encoder := json.NewEncoder(&plain)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(struct {
			Errors     gqlerror.List   `json:"errors,omitempty"`
			Data       json.RawMessage `json:"data,omitempty"`
			Extensions map[string]any  `json:"extensions,omitempty"`
		}{response.Errors, response.Data, response.Extensions}); err != nil {
			t.Fatal(err)
		}
		want := bytes.TrimSuffix(plain.Bytes(), []byte("\n"))
		b := bodyOf(&response)
		if got := b.join(); string(got) != string(want) {
			t.Errorf("%s\ngot  %q\nwant %q", name, got, want)
		}
		if err := iotest.TestReader(io.NewSectionReader(b, 0, int64(b.len())), want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// join returns the body in one piece.
func (b body) join() []byte { return bytes.Join(b[:], nil) }
