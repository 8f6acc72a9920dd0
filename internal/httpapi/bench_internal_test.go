package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/internal/httpapi/limit"
)

// BenchmarkDecode reads the body of a request.
func BenchmarkDecode(b *testing.B) {
	body := []byte(`{"query":"` + smallQuery + `","operationName":"Small","variables":{"id":"nobody"}}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeParams(body); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBody makes the body of an answer of 40 kB.
func BenchmarkBody(b *testing.B) {
	response := &graphql.Response{Data: json.RawMessage(`{"text":"` + strings.Repeat("if a < b && ", 40_000/12) + `"}`)}
	b.SetBytes(int64(len(response.Data)))
	b.ReportAllocs()
	for b.Loop() {
		bodyOf(response)
	}
}

// BenchmarkGate is what a request pays for its turn where there is room.
func BenchmarkGate(b *testing.B) {
	g := newGate(&limit.Default)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			leave, ok := g.enter(b.Context())
			if !ok {
				b.Error("there is no room")
			}
			leave()
		}
	})
}
