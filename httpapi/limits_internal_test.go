package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/embedded"
)

const smallQuery = "query Small($id: ID!) {post(id: $id) {id title author {id username} commentCount likeCount}}"

// BenchmarkSmallQuery is a whole request, for comparison with BenchmarkLimits.
func BenchmarkSmallQuery(b *testing.B) {
	api := benchmarked(b)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("POST", "/graphql", strings.NewReader(`{"query":"`+smallQuery+`","variables":{"id":"`+nobody+`"}}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if api.ServeHTTP(w, r); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

// BenchmarkLimits is what the limits take of a small query whose document is known.
func BenchmarkLimits(b *testing.B) {
	api := benchmarked(b)
	s := api.state.Load()
	r := httptest.NewRequest("POST", "/graphql", nil)
	w := httptest.NewRecorder()
	params := &graphql.RawParams{Query: smallQuery, Variables: map[string]any{"id": nobody}}
	ctx, _, errs := s.texts.Prepare(graphql.StartOperationTrace(b.Context()), smallQuery)
	op, more := s.exec.CreateOperationContext(ctx, params)
	if errs != nil || more != nil {
		b.Fatal(errs, more)
	}
	response := &graphql.Response{}
	b.ReportAllocs()
	for b.Loop() {
		if api.limitRate(w, r, "alice") {
			b.Fatal("limited")
		}
		leave, _ := api.gate.enter(ctx)
		_, _, _ = s.texts.Prepare(ctx, smallQuery)
		_, _ = api.costed(r, op)
		boundErrors(ctx, response)
		leave()
	}
}

const nobody = "nobody"

func benchmarked(b *testing.B) *API {
	b.Helper()
	limits := DefaultLimits
	limits.SubjectRate, limits.AddressRate = 1e9, 1e9
	api := New(Config{Limits: limits, Authenticate: DevTokens})
	store, err := embedded.InMemory(embedded.Options{Options: blog.Options{Observer: api.Observer()}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	api.Serve(store)
	return api
}
