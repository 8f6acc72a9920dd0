package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

func TestEndpoints(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	for _, c := range []struct {
		method, path string
		status       int
		contentType  string
		has          string
	}{
		{"GET", "/livez", 200, "application/json; charset=utf-8", `"live":true`},
		{"GET", "/readyz", 200, "application/json; charset=utf-8", `"ready":true`},
		{"GET", "/metrics", 200, "text/plain", "broadsheet_ready 1\n"},
		{"GET", "/schema.graphql", 200, "text/plain; charset=utf-8", harness.SDL},
		{"GET", "/playground", 200, "text/html; charset=utf-8", "Bearer alice"},
		{"GET", "/", 200, "text/html; charset=utf-8", `content="alice"`},
		{"GET", "/posts/some", 404, "text/html; charset=utf-8", `content="alice"`},
		{"GET", "/write", 200, "text/html; charset=utf-8", `content="alice"`},
		{"HEAD", "/livez", 200, "", ""},
		{"GET", "/graphql?query=%7B__typename%7D", 200, "application/json; charset=utf-8", `{"data":{"__typename":"Query"}}`},
		{"GET", "/elsewhere", 404, "", ""},
		{"POST", "/livez", 405, "", ""},
		{"POST", "/schema.graphql", 405, "", ""},
		{"DELETE", "/graphql", 405, "application/json; charset=utf-8", "BAD_REQUEST"},
	} {
		a := s.Do(c.method, c.path, "", nil)
		if a.Status != c.status || !strings.HasPrefix(a.Header.Get("Content-Type"), c.contentType) || !strings.Contains(a.Text, c.has) {
			t.Errorf("%s %s: %d %s %.300s", c.method, c.path, a.Status, a.Header.Get("Content-Type"), a.Text)
		}
		if a.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s %s: no X-Request-Id", c.method, c.path)
		}
	}
}

// The pages load nothing but what this server has.
func TestPagesNeedNoOtherHost(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	for path, least := range map[string]int{"/playground": 4, "/": 3} {
		page := regexp.MustCompile(`<link rel="canonical"[^>]*>`).ReplaceAllString(s.Get(path).Text, "") // it is not loaded
		assets := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
		if len(assets) < least {
			t.Errorf("%s names %d files: %s", path, len(assets), page)
		}
		for _, asset := range assets {
			a := s.Get(asset[1]) // an absolute URL is none below this server's
			if a.Status != http.StatusOK || a.Text == "" || a.Header.Get("Content-Type") == "" {
				t.Errorf("%s: %s: %d", path, asset[1], a.Status)
			}
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir()).Ready()
	before := s.Get("/metrics").Text
	s.As("alice", `query Named { feed(first: 2) { edges { node { id } } } }`, "").OK()
	s.As("alice", `mutation { createPost(input: {title: "T", content: "C"}) { post { id } } }`, "").OK()
	s.As("", `{ nonsense }`, "")
	after := s.Get("/metrics").Text
	for _, line := range []string{
		`broadsheet_graphql_requests_total{code="OK",operation="query"} 1`,
		`broadsheet_graphql_requests_total{code="OK",operation="mutation"} 1`,
		`broadsheet_graphql_requests_total{code="GRAPHQL_VALIDATION_FAILED",operation="unknown"} 1`,
		`broadsheet_graphql_request_duration_seconds_count{operation="query"} 1`,
		`broadsheet_statements_total{kind="read",table="feed_by_bucket"} `,
		`broadsheet_statements_total{kind="read",table="users_by_subject"} `,
		`broadsheet_statement_rows_total{kind="read",table="feed_by_bucket"} `,
		`broadsheet_statement_partitions_total{kind="read",table="feed_by_bucket"} `,
		`broadsheet_statement_duration_seconds_count{kind="read",table="feed_by_bucket"} `,
		`broadsheet_http_requests_in_flight 1`,
		`go_goroutines `,
		`process_resident_memory_bytes `,
	} {
		if !strings.Contains(after, "\n"+line) {
			t.Errorf("/metrics lacks %s", line)
		}
	}
	if strings.Contains(before, `operation="mutation"`) {
		t.Error("the demo counts as requests")
	}
	if !regexp.MustCompile(`\nbroadsheet_statements_total\{kind="(write|conditional)",table="posts_by_\w+"\} [1-9]`).MatchString(after) {
		t.Error("/metrics has no statement that wrote a post")
	}
}
