package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

// Every code of the contract that a server can answer so far, and none is an
// internal error. UNAVAILABLE and SHUTTING_DOWN are in away_test.go and
// drain_test.go.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir()).Ready()
	post := s.As("", `{ feed(first: 1) { edges { cursor node { id author { id } } } } }`, "").OK()
	replace := strings.NewReplacer("<post>", post.At("data.feed.edges.0.node.id"),
		"<user>", post.At("data.feed.edges.0.node.author.id"), "<cursor>", post.At("data.feed.edges.0.cursor"))
	for query, code := range map[string]string{
		`{ feed `:                  "GRAPHQL_PARSE_FAILED",
		``:                         "OPERATION_RESOLUTION_FAILURE",
		`{ nonsense }`:             "GRAPHQL_VALIDATION_FAILED",
		`{ user(id: 1.5) { id } }`: "GRAPHQL_VALIDATION_FAILED",
		`{ feed(first: "1") { edges { cursor } } }`:                                     "GRAPHQL_VALIDATION_FAILED",
		`query A { __typename } query B { __typename }`:                                 "OPERATION_RESOLUTION_FAILURE",
		`query($id: ID!) { post(id: $id) { id } }`:                                      "BAD_USER_INPUT",
		`{ feed(first: 0) { edges { cursor } } }`:                                       "BAD_USER_INPUT",
		`{ feed(first: -1) { edges { cursor } } }`:                                      "BAD_USER_INPUT",
		`{ feed(first: 101) { edges { cursor } } }`:                                     "BAD_USER_INPUT",
		`{ feed(first: 1, last: 1) { edges { cursor } } }`:                              "BAD_USER_INPUT",
		`{ feed(first: 99999999999) { edges { cursor } } }`:                             "GRAPHQL_VALIDATION_FAILED",
		`{ feed(after: "forged") { edges { cursor } } }`:                                "BAD_USER_INPUT",
		`{ userPosts(username: "alice", after: "<cursor>") { edges { cursor } } }`:      "BAD_USER_INPUT",
		`{ post(id: "garbage") { id } }`:                                                "BAD_USER_INPUT",
		`{ post(id: "<user>") { id } }`:                                                 "BAD_USER_INPUT",
		`{ user { id } }`:                                                               "BAD_USER_INPUT",
		`{ user(id: "<user>", username: "alice") { id } }`:                              "BAD_USER_INPUT",
		`{ userPosts { edges { cursor } } }`:                                            "BAD_USER_INPUT",
		`{ comments(postId: "<post>", createdFrom: "yesterday") { edges { cursor } } }`: "GRAPHQL_VALIDATION_FAILED",
		`{ comments(postId: "<post>", createdFrom: "2026-01-02T00:00:00Z", createdTo: "2026-01-01T00:00:00Z") { edges { cursor } } }`: "BAD_USER_INPUT",
		`mutation { likePost(input: {postId: "<post>"}) { post { id } } }`:                                                            "UNAUTHENTICATED",
		`{ __schema { queryType { name } } }`:                                                                                         "OK",
		`{ node(id: "garbage") { id } }`:                                                                                              "OK",
	} {
		a := s.As("", replace.Replace(query), "")
		if got := a.Code(); got != code {
			t.Errorf("%s: %s, want %s", query, a.Text, code)
		}
		if a.Status != http.StatusOK {
			t.Errorf("%s: status %d", query, a.Status)
		}
	}
	forbidden := s.As("nobody_yet", replace.Replace(`mutation { likePost(input: {postId: "<post>"}) { userErrors { code message } } }`), "")
	forbidden.Want("data.likePost.userErrors.0.code", "FORBIDDEN")
	if !strings.Contains(forbidden.Text, "createUser") {
		t.Errorf("what to do is not said: %s", forbidden.Text)
	}
}

func TestRequestsThatAreNoGraphQL(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	asJSON := map[string]string{"Content-Type": "application/json"}
	for _, c := range []struct {
		what, method, path, body string
		headers                  map[string]string
		status                   int
		says                     string
	}{
		{"a body over 1 MiB", "POST", "/graphql", `{"query": "` + strings.Repeat(" ", 1<<20) + `"}`, asJSON, 413, "larger than 1048576 bytes"},
		{"a form", "POST", "/graphql", "query={feed}", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415, "application/json"},
		{"no type", "POST", "/graphql", `{"query": "{ __typename }"}`, nil, 415, "application/json"},
		{"no JSON", "POST", "/graphql", `{"query"`, asJSON, 400, "not JSON"},
		{"a mutation by GET", "GET", "/graphql?query=" + url.QueryEscape(`mutation { createUser(input: {username: "eve"}) { user { id } } }`), "", map[string]string{"Authorization": "Bearer eve"}, 405, "POST"},
		{"GET without a query", "GET", "/graphql", "", nil, 400, "query"},
		{"PUT", "PUT", "/graphql", "{}", asJSON, 405, "POST"},
	} {
		a := s.Do(c.method, c.path, c.body, c.headers)
		if a.Status != c.status || a.Code() != "BAD_REQUEST" || !strings.Contains(a.At("errors.0.message"), c.says) {
			t.Errorf("%s: %d %s", c.what, a.Status, a.Text)
		}
		if a.Status == http.StatusMethodNotAllowed && a.Header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s: Allow is %q", c.what, a.Header.Get("Allow"))
		}
	}
	s.As("eve", `{ viewer { id } }`, "").OK().Want("data.viewer", "null")
}

func TestBadTokens(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	const create = `{"query": "mutation { createUser(input: {username: \"mallory\"}) { user { id } } }"}`
	for _, header := range []string{"Bearer", "Bearer ", "", "alice", "Basic YWxpY2U6", "Bearer a b", "Bearer a\tb", "Bearer a\u0085b", "Bearer \xff", "Bearer " + strings.Repeat("a", 256)} {
		a := s.Do(http.MethodPost, "/graphql", create, map[string]string{"Content-Type": "application/json", "Authorization": header})
		if a.Status != http.StatusUnauthorized || a.Code() != "UNAUTHENTICATED" || a.At("data") != "absent" {
			t.Errorf("%q: %d %s", header, a.Status, a.Text)
		}
		if !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%q: WWW-Authenticate is %q", header, a.Header.Get("WWW-Authenticate"))
		}
	}
	s.As("", `{ user(username: "mallory") { id } }`, "").OK().Want("data.user", "null")
}

func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "deadline=1ns").Ready()
	for _, query := range []string{`{ feed { edges { cursor } } }`, `mutation { createUser(input: {username: "late"}) { user { id } } }`} {
		if a := s.As("late", query, ""); a.Code() != "TIMEOUT" {
			t.Errorf("%s: %d %s", query, a.Status, a.Text)
		}
	}
}
