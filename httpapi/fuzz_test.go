package httpapi_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/httpapi"
)

// Whatever is sent is answered as GraphQL, and is never the server's fault.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		`{"query": "{__typename}"}`, `{"query": "query Q($n: Int) {feed(first: $n) {edges {node {id ...P}}}} fragment P on Post {author {username}}", "variables": {"n": 5}, "extensions": {"cost": true}}`,
		`{"query": "mutation {createUser(input: {username: \"alice\"}) {user {id} userErrors {code message field}}}"}`,
		`{"query": "query($ids: [ID!]!) {nodes(ids: $ids) {id}}", "variables": {"ids": ["dQGTK06PKnw9nk8BI0VniQo", "x"]}}`,
		`{"query": "{comments(postId: \"cAGTK06PKnw9nk8BI0VniQo\", after: \"QwGT\", createdFrom: \"2025-03-01T09:30:00Z\") {totalCount}}"}`,
		`{"query": "{viewer {id @skip(if: false)} ...{__schema {types {name}}}}", "operationName": null}`,
		`{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "00"}}}`, `{"documentId": "sha256:00"}`, `[]`, ``, "{\"query\": \"\xff\"}",
	} {
		f.Add(body, "application/json", "application/json", "")
		f.Add(body, "application/json; charset=utf-8", "application/graphql-response+json;q=0.9, */*;q=0.1", "Bearer alice")
	}
	a := httpapi.New(httpapi.Config{Log: slog.New(slog.DiscardHandler), Authenticate: httpapi.DevTokens})
	store, err := embedded.InMemory(embedded.Options{Options: blog.Options{Observer: a.Observer()}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := store.Close(); err != nil {
			f.Error(err)
		}
	})
	a.Serve(store)
	f.Fuzz(func(t *testing.T, body, contentType, accept, authorization string) {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {contentType}, "Accept": {accept}}
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		var response struct {
			Data   any
			Errors []struct {
				Message    string
				Extensions struct{ Code string }
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil {
			t.Fatalf("%d %q: %v", w.Code, w.Body, err)
		}
		if w.Code >= 500 || w.Code >= 400 && len(response.Errors) == 0 || response.Data == nil && len(response.Errors) == 0 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		for _, e := range response.Errors {
			if e.Extensions.Code == "" || e.Extensions.Code == "INTERNAL_SERVER_ERROR" || e.Message == "" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
	})
}
