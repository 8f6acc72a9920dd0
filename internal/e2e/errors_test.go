package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Every code of the contract that a server can answer so far, and none is an
// internal error. UNAVAILABLE and SHUTTING_DOWN are in away_test.go and
// drain_test.go.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir()).ready()
	post := s.as("", `{ feed(first: 1) { edges { cursor node { id author { id } } } } }`, "").ok()
	replace := strings.NewReplacer("<post>", post.at("data.feed.edges.0.node.id"),
		"<user>", post.at("data.feed.edges.0.node.author.id"), "<cursor>", post.at("data.feed.edges.0.cursor"))
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
		a := s.as("", replace.Replace(query), "")
		if got := a.code(); got != code {
			t.Errorf("%s: %s, want %s", query, a.text, code)
		}
		if a.status != http.StatusOK {
			t.Errorf("%s: status %d", query, a.status)
		}
	}
	forbidden := s.as("nobody_yet", replace.Replace(`mutation { likePost(input: {postId: "<post>"}) { userErrors { code message } } }`), "")
	forbidden.want("data.likePost.userErrors.0.code", "FORBIDDEN")
	if !strings.Contains(forbidden.text, "createUser") {
		t.Errorf("what to do is not said: %s", forbidden.text)
	}
}

func TestRequestsThatAreNoGraphQL(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo").ready()
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
		a := s.do(c.method, c.path, c.body, c.headers)
		if a.status != c.status || a.code() != "BAD_REQUEST" || !strings.Contains(a.at("errors.0.message"), c.says) {
			t.Errorf("%s: %d %s", c.what, a.status, a.text)
		}
		if a.status == http.StatusMethodNotAllowed && a.header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s: Allow is %q", c.what, a.header.Get("Allow"))
		}
	}
	s.as("eve", `{ viewer { id } }`, "").ok().want("data.viewer", "null")
}

func TestBadTokens(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo").ready()
	const create = `{"query": "mutation { createUser(input: {username: \"mallory\"}) { user { id } } }"}`
	for _, header := range []string{"Bearer", "Bearer ", "", "alice", "Basic YWxpY2U6", "Bearer a b", "Bearer a\tb", "Bearer a\u0085b", "Bearer \xff", "Bearer " + strings.Repeat("a", 256)} {
		a := s.do(http.MethodPost, "/graphql", create, map[string]string{"Content-Type": "application/json", "Authorization": header})
		if a.status != http.StatusUnauthorized || a.code() != "UNAUTHENTICATED" || a.at("data") != "absent" {
			t.Errorf("%q: %d %s", header, a.status, a.text)
		}
		if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%q: WWW-Authenticate is %q", header, a.header.Get("WWW-Authenticate"))
		}
	}
	s.as("", `{ user(username: "mallory") { id } }`, "").ok().want("data.user", "null")
}

func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "deadline=1ns").ready()
	for _, query := range []string{`{ feed { edges { cursor } } }`, `mutation { createUser(input: {username: "late"}) { user { id } } }`} {
		if a := s.as("late", query, ""); a.code() != "TIMEOUT" {
			t.Errorf("%s: %d %s", query, a.status, a.text)
		}
	}
}
