package httpapi_test

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/internal/httpapi"
)

// with returns an API over an empty store, with a configuration's values.
func with(t *testing.T, c httpapi.Config) server {
	t.Helper()
	log := &lines{}
	c.Log, c.Tokens = slog.New(slog.NewTextHandler(log, nil)), httpapi.DevTokens{}
	s := server{httpapi.New(c), log}
	s.Serve(memory(t, s.Observer()))
	return s
}

// fetch makes a request without a body, with headers in pairs.
func (s server) fetch(t *testing.T, method, query string, headers ...string) answer {
	t.Helper()
	r := httptest.NewRequest(method, "/graphql?query="+url.QueryEscape(query), nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(t, r)
}

const names = "{feed {edges {node {title}}}}"

// What shared caches may keep tells nobody's budget.
func TestNobodysBudgetIsShared(t *testing.T) {
	t.Parallel()
	s := working(t, 100)
	if got := s.fetch(t, "GET", names); got.header.Get("Cache-Control") == "no-store" || got.header.Get("RateLimit") != "" || got.header.Get("RateLimit-Policy") != "" {
		t.Errorf("%v", got.header)
	}
	if got := s.fetch(t, "GET", names, "Authorization", "Bearer alice"); got.header.Get("RateLimit") == "" {
		t.Errorf("%v", got.header)
	}
	r := httptest.NewRequest(http.MethodGet, "/graphql?query="+url.QueryEscape(names)+"&extensions="+url.QueryEscape(`{"budget":true}`), nil)
	if got := s.do(t, r); got.header.Get("Cache-Control") != "no-store" || !strings.Contains(got.body, `"remaining"`) {
		t.Errorf("%v %s", got.header, got.body)
	}
}

// Only what an anonymous GET was answered, without an error, may be kept.
func TestCacheControl(t *testing.T) {
	t.Parallel()
	now, later := with(t, httpapi.Config{}), with(t, httpapi.Config{CacheMaxAge: 90 * time.Second})
	const revalidated, fresh, never = "public, no-cache", "public, max-age=90", "no-store"
	for name, c := range map[string]struct {
		answer answer
		want   string
	}{
		"a query":                  {now.fetch(t, "GET", names), revalidated},
		"with a life":              {later.fetch(t, "GET", names), fresh},
		"HEAD":                     {later.fetch(t, "HEAD", names), fresh},
		"POST":                     {later.query(t, names), never},
		"with a token":             {later.fetch(t, "GET", names, "Authorization", "Bearer alice"), never},
		"with a bad token":         {later.fetch(t, "GET", names, "Authorization", "alice"), never},
		"an error in a field":      {later.fetch(t, "GET", "{feed {edges {cursor}} nodes(ids: [\"x\"]) {id} post(id: \"x\") {id}}"), never},
		"no GraphQL":               {later.fetch(t, "GET", "{"), never},
		"no GraphQL, with its 400": {later.fetch(t, "GET", "{", "Accept", "application/graphql-response+json"), never},
		"a mutation":               {later.fetch(t, "GET", "mutation {__typename}"), never},
	} {
		t.Run(name, func(t *testing.T) {
			h := c.answer.header
			if got := h.Get("Cache-Control"); got != c.want {
				t.Errorf("%d, Cache-Control: %s, not %s: %s", c.answer.status, got, c.want, c.answer.body)
			}
			if tagged := h.Get("ETag") != ""; tagged != (c.want != never) {
				t.Errorf("ETag: %q with Cache-Control: %s", h.Get("ETag"), c.want)
			}
			if vary := h.Values("Vary"); !slices.Contains(vary, "Accept, Authorization") {
				t.Errorf("Vary: %q", vary)
			}
		})
	}
}

func TestRevalidation(t *testing.T) {
	t.Parallel()
	s := with(t, httpapi.Config{})
	first := s.fetch(t, "GET", names)
	tag := first.header.Get("ETag")
	if !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) || len(tag) < 10 {
		t.Fatalf("no strong tag: %q", tag)
	}
	for name, c := range map[string]struct {
		method string
		header []string
		status int
	}{
		"the same":                  {"GET", []string{"If-None-Match", tag}, 304},
		"compared weakly":           {"GET", []string{"If-None-Match", "W/" + tag}, 304},
		"one of several":            {"GET", []string{"If-None-Match", `"a,b", ` + tag}, 304},
		"any":                       {"GET", []string{"If-None-Match", "*"}, 304},
		"HEAD":                      {"HEAD", []string{"If-None-Match", tag}, 304},
		"another":                   {"GET", []string{"If-None-Match", `"x"`}, 200},
		"not quoted":                {"GET", []string{"If-None-Match", strings.Trim(tag, `"`)}, 200},
		"in another representation": {"GET", []string{"If-None-Match", tag, "Accept", "application/graphql-response+json"}, 200},
		"with a token":              {"GET", []string{"If-None-Match", tag, "Authorization", "Bearer alice"}, 200},
		"another was expected":      {"GET", []string{"If-Match", `"x"`}, 412},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.fetch(t, c.method, names, c.header...)
			if got.status != c.status || (got.status != 200) != (got.body == "") {
				t.Errorf("%d %q, not %d", got.status, got.body, c.status)
			}
			if got.status == 304 && (got.header.Get("ETag") != tag || got.header.Get("Cache-Control") == "" || got.header.Get("Vary") == "") {
				t.Errorf("304 lacks what RFC 9110, section 15.4.5, asks for: %v", got.header)
			}
		})
	}
	s.query(t, `mutation {createUser(input: {username: "alice"}) {user {id}}}`, "Authorization", "Bearer alice")
	s.query(t, `mutation {createPost(input: {title: "New", content: "x"}) {post {id}}}`, "Authorization", "Bearer alice")
	changed := s.fetch(t, "GET", names, "If-None-Match", tag)
	if changed.status != 200 || changed.header.Get("ETag") == tag || !strings.Contains(changed.body, "New") {
		t.Errorf("after a post: %d %s %s", changed.status, changed.header.Get("ETag"), changed.body)
	}
}

// A head is that of GET, without the body (RFC 9110, section 9.3.2).
func TestHead(t *testing.T) {
	t.Parallel()
	served := httptest.NewServer(with(t, httpapi.Config{}))
	defer served.Close()
	for query, status := range map[string]int{names: 200, "{": 200, "mutation {__typename}": 405} {
		var lengths []int64
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r, err := http.NewRequestWithContext(t.Context(), method, served.URL+"/graphql?query="+url.QueryEscape(query), nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := served.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != status {
				t.Errorf("%s %s: %d, not %d", method, query, response.StatusCode, status)
			}
			lengths = append(lengths, response.ContentLength)
		}
		if lengths[0] != lengths[1] || lengths[0] < 1 {
			t.Errorf("%s: lengths %v", query, lengths)
		}
	}
}

// A compressed answer says what the plain one does, and both are one to a cache.
func TestCompression(t *testing.T) {
	t.Parallel()
	s := with(t, httpapi.Config{CompressFrom: 40})
	s.query(t, `mutation {createUser(input: {username: "alice"}) {user {id}}}`, "Authorization", "Bearer alice")
	s.query(t, `mutation {createPost(input: {title: "New", content: "x"}) {post {id}}}`, "Authorization", "Bearer alice")
	plain := s.fetch(t, "GET", names)
	packed := s.fetch(t, "GET", names, "Accept-Encoding", "gzip")
	reader, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatalf("%v: %q", err, packed.body)
	}
	text, err := io.ReadAll(reader)
	if err != nil || string(text) != plain.body || packed.header.Get("Content-Encoding") != "gzip" || plain.header.Get("Content-Encoding") != "" {
		t.Errorf("%v: %s, not %s", err, text, plain.body)
	}
	for _, got := range []answer{plain, packed} {
		if vary := strings.Join(got.header.Values("Vary"), ", "); vary != "Accept-Encoding, Accept, Authorization" {
			t.Errorf("Vary: %s", vary)
		}
	}
	tag := packed.header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) || tag != plain.header.Get("ETag") {
		t.Errorf("the tags are %s and %s", tag, plain.header.Get("ETag"))
	}
	for _, coding := range []string{"gzip", "identity"} {
		if got := s.fetch(t, "GET", names, "Accept-Encoding", coding, "If-None-Match", tag); got.status != 304 || got.body != "" {
			t.Errorf("%s: %d %q", coding, got.status, got.body)
		}
	}
	if got := s.fetch(t, "HEAD", names, "Accept-Encoding", "gzip"); got.status != 200 || got.header.Get("ETag") != tag || got.header.Get("Content-Length") != "" {
		t.Errorf("HEAD: %d %v", got.status, got.header)
	}
	if got := s.query(t, "{__typename}", "Accept-Encoding", "gzip"); got.header.Get("Content-Encoding") != "" || got.body != `{"data":{"__typename":"Query"}}` {
		t.Errorf("a short one: %v %q", got.header, got.body)
	}
	if got := s.query(t, "{"+strings.Repeat("x ", 60)+"}", "Accept-Encoding", "gzip"); got.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("errors: %v %q", got.header, got.body)
	}
}
