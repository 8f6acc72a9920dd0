package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
)

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	s := serving(t)
	for sent, kept := range map[string]bool{
		"":                       false,
		"a.b-c_7":                true,
		strings.Repeat("x", 64):  true,
		strings.Repeat("x", 65):  false,
		"two words":              false,
		"a\" forged=\"log entry": false,
		"naïve":                  false,
	} {
		got := s.query(t, "{__typename}", "X-Request-Id", sent).header.Get("X-Request-Id")
		if got == "" || (got == sent) != kept {
			t.Errorf("%q became %q", sent, got)
		}
		if len(s.log.with("request="+got)) != 1 {
			t.Errorf("%q is not in one line of the log", got)
		}
	}
}

func TestTheAccessLog(t *testing.T) {
	t.Parallel()
	s := serving(t)
	s.query(t, "query Mine {viewer {id}}", "X-Request-Id", "whole", "Authorization", "Bearer sesame")
	s.query(t, "{nothing}", "X-Request-Id", "invalid")
	s.do(t, post("{", "X-Request-Id", "malformed"))
	for id, parts := range map[string][]string{
		"whole":     {"level=INFO", "method=POST", "path=/graphql", "status=200", "operation=query", "name=Mine", "code=OK", "took="},
		"invalid":   {"operation=unknown", "code=GRAPHQL_VALIDATION_FAILED"},
		"malformed": {"status=400", "code=BAD_REQUEST"},
	} {
		found := s.log.with("request=" + id)
		if len(found) != 1 {
			t.Errorf("%d lines for %s: %q", len(found), id, found)
			continue
		}
		for _, part := range parts {
			if !strings.Contains(found[0], part) {
				t.Errorf("%s lacks %s: %s", id, part, found[0])
			}
		}
	}
	if s.log.with("sesame") != nil {
		t.Error("a token is in the log")
	}
	if s.get(t, "/livez"); len(s.log.with("/livez")) != 0 {
		t.Error("a probe is in the log of level info")
	}
}

// What a person did wrong is told in the payload of an answer that is OK, and to the operator.
func TestUserErrorsAreCounted(t *testing.T) {
	t.Parallel()
	s := serving(t)
	s.query(t, `mutation {a: createUser(input: {username: "", displayName: ""}) {userErrors {code}} b: createUser(input: {username: "alice"}) {userErrors {code}}
		c: createUser(input: {username: "bob"}) {userErrors {code}}}`, "Authorization", "Bearer alice", "X-Request-Id", "wrong")
	s.query(t, `mutation {updateUser(input: {bio: "x"}) {userErrors {code}}}`, "Authorization", "Bearer newcomer")
	s.query(t, `mutation {createUser(input: {username: "bob"}) {userErrors {code}}}`, "Authorization", "Bearer bob", "X-Request-Id", "right")
	got := s.get(t, "/metrics").body
	for _, line := range []string{
		`broadsheet_graphql_user_errors_total{code="INVALID",mutation="createUser"} 2`,
		`broadsheet_graphql_user_errors_total{code="TAKEN",mutation="createUser"} 1`,
		`broadsheet_graphql_user_errors_total{code="FORBIDDEN",mutation="updateUser"} 1`,
		`broadsheet_graphql_requests_total{code="OK",operation="mutation"} 3`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("lacks %s", line)
		}
	}
	if lines := s.log.with("request=wrong"); len(lines) != 1 || !strings.Contains(lines[0], "code=OK") || !strings.Contains(lines[0], "user_errors=INVALID,INVALID,TAKEN") {
		t.Errorf("%q", lines)
	}
	if lines := s.log.with("request=right"); len(lines) != 1 || strings.Contains(lines[0], "user_errors") {
		t.Errorf("%q", lines)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := serving(t)
	s.query(t, "{feed {edges {cursor}}}")
	s.query(t, "{feed {edges {cursor}}}")
	s.query(t, "{nothing}")
	s.query(t, `mutation {createUser(input: {username: "alice"}) {user {id}}}`, "Authorization", "Bearer alice")
	s.query(t, "{viewer {id}}", "Authorization", "nonsense")
	got := s.get(t, "/metrics").body
	for _, line := range []string{
		`broadsheet_graphql_requests_total{code="OK",operation="query"} 2`,
		`broadsheet_graphql_requests_total{code="OK",operation="mutation"} 1`,
		`broadsheet_graphql_requests_total{code="GRAPHQL_VALIDATION_FAILED",operation="unknown"} 1`,
		`broadsheet_graphql_requests_total{code="UNAUTHENTICATED",operation="unknown"} 1`,
		`broadsheet_graphql_request_duration_seconds_count{operation="query"} 2`,
		`broadsheet_statements_total{kind="read",table="feed_by_bucket"} 2`,
		`broadsheet_statement_duration_seconds_count{kind="read",table="feed_by_bucket"} 2`,
		`broadsheet_ready 1`,
		`broadsheet_http_requests_in_flight 1`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("lacks %s", line)
		}
	}
	for _, name := range []string{"go_goroutines", "go_build_info", "broadsheet_statement_rows_total", "broadsheet_statement_partitions_total"} {
		if !strings.Contains(got, "\n"+name) {
			t.Errorf("lacks %s", name)
		}
	}
	if other := start(t).get(t, "/metrics").body; strings.Contains(other, "broadsheet_statements_total") {
		t.Error("two servers in one process share their metrics")
	}
}

// A batch over several tables is one round trip, and a write of each table with what it
// touches of that one. What commands are told of their shares in it is not counted again.
func TestMetricsOfABatch(t *testing.T) {
	t.Parallel()
	s := start(t)
	batch := blog.Touching(blog.Write, []blog.TableCost{
		{Table: blog.PostsByID, Partitions: 2, Rows: 3}, {Table: blog.FeedByBucket, Partitions: 1, Rows: 5},
	}, &blog.Error{Kind: blog.Unavailable})
	share := batch
	share.Share = true
	for _, statement := range []blog.Statement{batch, share, share, blog.Touching(blog.Write, []blog.TableCost{{Table: blog.PostsByID, Partitions: 1, Rows: 1}}, nil)} {
		s.Observer().Statement(t.Context(), statement)
	}
	got := s.get(t, "/metrics").body
	for _, line := range []string{
		`broadsheet_round_trips_total{kind="write"} 2`,
		`broadsheet_statements_total{kind="write",table="posts_by_id"} 2`,
		`broadsheet_statements_total{kind="write",table="feed_by_bucket"} 1`,
		`broadsheet_statement_partitions_total{kind="write",table="posts_by_id"} 3`,
		`broadsheet_statement_partitions_total{kind="write",table="feed_by_bucket"} 1`,
		`broadsheet_statement_rows_total{kind="write",table="posts_by_id"} 4`,
		`broadsheet_statement_rows_total{kind="write",table="feed_by_bucket"} 5`,
		`broadsheet_statement_duration_seconds_count{kind="write",table="feed_by_bucket"} 1`,
		`broadsheet_statement_errors_total{error="unavailable",kind="write",table="feed_by_bucket"} 1`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("lacks %s", line)
		}
	}
}

// How current the issuer's keys are is asked at each scrape.
func TestKeyMetrics(t *testing.T) {
	t.Parallel()
	now := &fetches{failed: 2}
	s := startWith(t, httpapi.Config{Tokens: tokens{fetches: now}})
	if got := s.get(t, "/metrics").body; strings.Contains(got, "broadsheet_jwks_age") || !strings.Contains(got, `broadsheet_jwks_fetches_total{outcome="failed"} 2`+"\n") {
		t.Error("before there are keys")
	}
	*now = fetches{last: time.Now().Add(-90 * time.Second), ok: 1, failed: 2}
	if got := s.get(t, "/metrics").body; !strings.Contains(got, "broadsheet_jwks_age_seconds 9") || !strings.Contains(got, `broadsheet_jwks_fetches_total{outcome="ok"} 1`+"\n") {
		t.Error("once there are")
	}
	if got := start(t).get(t, "/metrics").body; strings.Contains(got, "broadsheet_jwks") {
		t.Error("where keys do not change")
	}
}

// What a store does by itself is asked for at each scrape.
func TestUpkeepMetrics(t *testing.T) {
	t.Parallel()
	s := start(t)
	if got := s.get(t, "/metrics").body; strings.Contains(got, "broadsheet_journal") {
		t.Error("there are figures of a store that is not there")
	}
	now := blog.Upkeep{}
	s.Serve(stub{upkeep: func() blog.Upkeep { return now }})
	check := func(lines ...string) {
		t.Helper()
		got := s.get(t, "/metrics").body
		for _, line := range lines {
			if !strings.Contains(got, line+"\n") {
				t.Errorf("lacks %s", line)
			}
		}
	}
	check(`broadsheet_change_logs_open 0`, `broadsheet_change_feed_lag_seconds 0`, `broadsheet_jobs_running{job="rename"} 0`, `broadsheet_job_copies_total{job="sweep"} 0`, `broadsheet_journal_undone 0`)
	if got := s.get(t, "/metrics").body; strings.Contains(got, "broadsheet_verify_timestamp_seconds") {
		t.Error("before it is known when all was found well")
	}
	now = blog.Upkeep{
		Jobs:   map[blog.Job]blog.JobProgress{blog.RenameJob: {Running: 2, Copies: 3000, Oldest: time.Hour}},
		Undone: 4, OldestUndone: 90 * time.Second, Expiring: 1, Recovered: 7, Parts: 8, Held: 3, Schema: 41, LastVerify: time.Unix(1700000000, 0),
		Partitions:  map[blog.Table]int64{blog.FeedByBucket: 5_000_000},
		RecoveryLag: -time.Minute, ClockOffset: 1500 * time.Millisecond, Told: 12, ToldForOthers: 5,
	}
	check(`broadsheet_jobs_running{job="rename"} 2`, `broadsheet_jobs_running{job="sweep"} 0`,
		`broadsheet_job_oldest_seconds{job="rename"} 3600`, `broadsheet_job_oldest_seconds{job="sweep"} 0`, `broadsheet_journal_parts_held 3`,
		`broadsheet_schema_version 41`, `broadsheet_verify_timestamp_seconds 1.7e+09`,
		`broadsheet_job_copies_total{job="rename"} 3000`, `broadsheet_journal_undone 4`, `broadsheet_journal_oldest_undone_seconds 90`,
		`broadsheet_journal_expiring 1`, `broadsheet_journal_recovered_total 7`,
		`broadsheet_cassandra_largest_partition_bytes{table="feed_by_bucket"} 5e+06`, `broadsheet_journal_lag_seconds -60`, `broadsheet_clock_offset_seconds 1.5`,
		`broadsheet_changes_told_total{by="command"} 12`, `broadsheet_changes_told_total{by="recovery"} 5`)
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := viewed(t, serving(t))
	for target, c := range map[string]struct {
		status int
		header string
		value  string
	}{
		"/":               {http.StatusOK, "Content-Type", "text/html; charset=utf-8"},
		"/playground":     {http.StatusOK, "Content-Type", "text/html; charset=utf-8"},
		"/schema.graphql": {http.StatusOK, "Content-Type", "text/plain; charset=utf-8"},
		"/livez":          {http.StatusOK, "Content-Type", "application/json; charset=utf-8"},
		"/readyz":         {http.StatusOK, "Cache-Control", "no-store"},
		"/nothing":        {http.StatusNotFound, "", ""},
		"/livez/":         {http.StatusNotFound, "", ""},
	} {
		if got := s.get(t, target); got.status != c.status || got.header.Get(c.header) != c.value {
			t.Errorf("%s: %d with %s: %q", target, got.status, c.header, got.header.Get(c.header))
		}
	}
	if got := s.get(t, "/schema.graphql").body; got != "type Query\n" {
		t.Errorf("the schema is %q", got)
	}
	r := post("", "Content-Type", "text/plain")
	r.URL.Path, r.Body = "/livez", io.NopCloser(strings.NewReader(""))
	if got := s.do(t, r); got.status != http.StatusMethodNotAllowed {
		t.Errorf("POST /livez is %d", got.status)
	}
}
