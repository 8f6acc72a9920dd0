package httpapi

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/relay"
)

const smallQuery = "query Small($id: ID!) {post(id: $id) {id title author {id username} commentCount likeCount}}"

// BenchmarkSmallQuery is a whole request but for the network, for comparison with
// BenchmarkLimits.
func BenchmarkSmallQuery(b *testing.B) {
	api, post := benchmarked(b)
	body := []byte(`{"query":"` + smallQuery + `","variables":{"id":"` + post + `"}}`)
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/graphql-response+json"}}
	var w discarding
	b.ReportAllocs()
	for b.Loop() {
		w = discarding{header: http.Header{}}
		api.ServeHTTP(&w, &http.Request{
			Method: "POST", URL: &url.URL{Path: graphqlPath}, Header: header, RemoteAddr: "192.0.2.1:1234",
			Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		})
	}
	if w.status != http.StatusOK || w.bytes < 100 {
		b.Fatal(w)
	}
}

// discarding is a response that nobody reads.
type discarding struct {
	header        http.Header
	status, bytes int
}

func (w *discarding) Header() http.Header    { return w.header }
func (w *discarding) WriteHeader(status int) { w.status = status }
func (w *discarding) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return len(p), nil
}

// BenchmarkLimits is what the limits take of a small query whose document is known.
func BenchmarkLimits(b *testing.B) {
	api, post := benchmarked(b)
	s := api.state.Load()
	r := httptest.NewRequest("POST", "/graphql", nil)
	r = r.WithContext(record.New("", record.Origin{}).In(r.Context()))
	params := &graphql.RawParams{Query: smallQuery, Variables: map[string]any{"id": post}}
	ctx := b.Context()
	op, doc, errs := s.texts.Operation(ctx, nil, params)
	if errs != nil {
		b.Fatal(errs)
	}
	response := &graphql.Response{}
	b.ReportAllocs()
	for b.Loop() {
		budget := client.Budget{Client: api.clients.Of(client.Key{Subject: "alice"})}
		if err := budget.BeginRequest(0); err != nil {
			b.Fatal(err)
		}
		leave, _ := api.gate.enter(ctx)
		_, _ = s.texts.Prepare(ctx, nil, smallQuery)
		_, _ = api.costed(record.Of(r.Context()), op, doc)
		record.Bound(ctx, response)
		leave()
	}
}

// benchmarked returns an API over a store with one post, and the post's id.
func benchmarked(b *testing.B) (api *API, post string) {
	b.Helper()
	limits := limit.Default
	limits[limit.Work] = 1e9
	api = New(Config{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Limits: limits, Tokens: DevTokens{}})
	store, err := embedded.InMemory(embedded.Options{Options: blog.Options{Observer: api.Observer()}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	author, err := store.CreateUser(b.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	if err != nil {
		b.Fatal(err)
	}
	made, err := store.CreatePost(b.Context(), blog.CreatePost{Author: author.ID, Title: "Title", Content: "content"})
	if err != nil {
		b.Fatal(err)
	}
	api.Serve(store)
	return api, relay.EncodeID(made.ID)
}
