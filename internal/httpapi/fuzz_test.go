package httpapi_test

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/httpapi"
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
	a := fuzzed(f, slog.DiscardHandler)
	f.Fuzz(func(t *testing.T, body, contentType, accept, authorization string) {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {contentType}, "Accept": {accept}}
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		wantNoFault(t, w)
	})
}

// fuzzed returns an API over an empty store.
func fuzzed(f *testing.F, log slog.Handler) *httpapi.API {
	f.Helper()
	a := httpapi.New(httpapi.Config{Log: slog.New(log), Tokens: httpapi.DevTokens{}})
	store, err := embedded.InMemory(embedded.Options{Options: blog.Options{Observer: ofRequests{a.Observer()}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := store.Close(); err != nil {
			f.Error(err)
		}
	})
	a.Serve(store)
	return a
}

// wantNoFault fails t unless an answer is GraphQL, and no fault of the server's. It returns
// whether anything was executed.
func wantNoFault(t *testing.T, w *httptest.ResponseRecorder) (executed bool) {
	t.Helper()
	var response struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil {
		t.Fatalf("%d %q: %v", w.Code, w.Body, err)
	}
	failed := response.Data == nil || string(response.Data) == "null"
	if w.Code >= 500 || (failed || w.Code >= 400) && len(response.Errors) == 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, e := range response.Errors {
		if e.Extensions.Code == "" || e.Extensions.Code == "INTERNAL_SERVER_ERROR" || e.Message == "" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	return response.Data != nil
}

// Whatever an operation is and whatever its variables are, that is never the server's
// fault; and what is refused as a whole was not begun.
func FuzzOperation(f *testing.F) {
	for i, c := range coercionCases(f) {
		if strings.Contains(c.Name, ", ") && i%5 > 0 { // one of the many with other values
			continue
		}
		name := ""
		if c.OperationName != nil {
			name = *c.OperationName
		}
		f.Add(c.Query, cmp.Or(c.Variables, "null"), name, `{"cost": true}`)
	}
	f.Add("query Q($n: Int = 3, $b: Boolean = true) {feed(first: $n) {edges {node {id @skip(if: $b) ...P}}}} fragment P on Post {author {username} comments(first: 2, order: OLDEST_FIRST) {totalCount}}", `{"n": 2e0, "b": false}`, "Q", `{"cost": 1}`)
	f.Add("{__schema {types {name fields(includeDeprecated: true) {name args {defaultValue}}}}}", "{}", "", `{"persistedQuery": {"version": 1, "sha256Hash": "00"}}`)
	var log lines
	a := fuzzed(f, slog.NewTextHandler(&log, nil))
	f.Fuzz(func(t *testing.T, document, variables, operationName, extensions string) {
		if !json.Valid([]byte(variables)) || !json.Valid([]byte(extensions)) {
			return
		}
		body, err := json.Marshal(map[string]any{
			"query": document, "operationName": operationName, "variables": json.RawMessage(variables), "extensions": json.RawMessage(extensions),
		})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		r, statements := countedRequest(post(string(body), "Authorization", "Bearer alice"))
		a.ServeHTTP(w, r)
		if executed, n := wantNoFault(t, w), statements.Load(); !executed && n > 0 {
			t.Errorf("refused after %d statements: %s", n, w.Body)
		}
		if said := log.with("can't be prepared"); said != nil {
			t.Fatalf("%s\n%s: %s", document, variables, said)
		}
	})
}
