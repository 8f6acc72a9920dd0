package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"broadsheet/internal/httpapi"
)

// configured returns an API over an empty store.
func configured(t *testing.T, c httpapi.Config) server {
	t.Helper()
	c.Tokens, c.SDL = httpapi.DevTokens{}, "type Query\n"
	s := server{httpapi.New(c), &lines{}}
	s.Serve(memory(t, s.Observer()))
	return viewed(t, s)
}

// to makes a request as a browser does: headers in pairs.
func to(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(`{"query":"{__typename}"}`))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	s := viewed(t, serving(t))
	for _, r := range []*http.Request{
		to("POST", "/graphql"), to("POST", "/graphql", "Authorization", "Basic x"), to("PUT", "/graphql"),
		to("GET", "/graphql?query=%7B__typename%7D"), to("GET", "/schema.graphql"), to("GET", "/playground"), to("GET", "/"),
		to("GET", "/livez"), to("GET", "/readyz"), to("GET", "/metrics"), to("GET", "/elsewhere"), to("POST", "/livez"),
	} {
		h := s.do(t, r).header
		for name, want := range map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, not %q", r.Method, r.URL, name, got, want)
			}
		}
		policy := strings.Split(h.Get("Content-Security-Policy"), "; ")
		for _, directive := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
			if !slices.Contains(policy, directive) {
				t.Errorf("%s %s: the Content-Security-Policy lacks %s: %s", r.Method, r.URL, directive, policy)
			}
		}
		if strings.Contains(h.Get("Content-Security-Policy"), "unsafe-eval") || !strings.Contains(h.Get("Permissions-Policy"), "geolocation=()") {
			t.Errorf("%s %s: %v", r.Method, r.URL, h)
		}
		if h.Get("Set-Cookie") != "" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: %v", r.Method, r.URL, h)
		}
	}
}

// A browser sends cookies along with whatever page's requests: they mean nothing here.
func TestCookiesChangeNothing(t *testing.T) {
	t.Parallel()
	s := serving(t)
	s.query(t, `mutation {createUser(input: {username: "alice"}) {user {username}}}`, "Authorization", "Bearer alice")
	for _, cookie := range []string{"Authorization=Bearer alice", "session=alice; token=alice; access_token=alice", "alice", strings.Repeat("x", 4096)} {
		if got := s.query(t, `{viewer {username}}`, "Cookie", cookie); got.body != `{"data":{"viewer":null}}` {
			t.Errorf("Cookie: %s: %s", cookie, got.body)
		}
		got := s.query(t, `mutation {createPost(input: {title: "T", content: "C"}) {post {id}}}`, "Cookie", cookie)
		if got.code() != "UNAUTHENTICATED" {
			t.Errorf("Cookie: %s: %s", cookie, got.body)
		}
		if got := s.query(t, `{viewer {username}}`, "Cookie", cookie, "Authorization", "Bearer alice"); got.body != `{"data":{"viewer":{"username":"alice"}}}` {
			t.Errorf("Cookie: %s, and a token: %s", cookie, got.body)
		}
	}
}

// What a page may send without asking first (the Fetch standard's simple requests)
// executes nothing but queries.
func TestSimpleRequestsWriteNothing(t *testing.T) {
	t.Parallel()
	s := serving(t)
	const write = `mutation {createUser(input: {username: "mallory"}) {user {id}}}`
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "text/plain; application/json"} {
		r := httptest.NewRequest("POST", "/graphql", strings.NewReader(`{"query":"`+strings.ReplaceAll(write, `"`, `\"`)+`"}`))
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Authorization", "Bearer mallory")
		s.do(t, r).want(415, "BAD_REQUEST")
	}
	r := httptest.NewRequest("GET", "/graphql", nil)
	r.URL.RawQuery = "query=" + strings.ReplaceAll(write, " ", "%20") + "&access_token=mallory"
	r.Header.Set("Authorization", "Bearer mallory")
	s.do(t, r).want(405, "BAD_REQUEST")
	if got := s.query(t, `{user(username: "mallory") {id}}`); got.body != `{"data":{"user":null}}` {
		t.Errorf("something was written: %s", got.body)
	}
}

// preflight is what a browser asks before it lets a page post JSON with a token.
func preflight(target, origin string) *http.Request {
	r := httptest.NewRequest(http.MethodOptions, target, nil)
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "authorization,content-type")
	return r
}

func TestCORSIsClosed(t *testing.T) {
	t.Parallel()
	s := serving(t)
	for _, r := range []*http.Request{
		preflight("/graphql", "https://app.example.org"), preflight("/schema.graphql", "https://app.example.org"),
		to("POST", "/graphql", "Origin", "https://app.example.org"), to("GET", "/schema.graphql", "Origin", "null"),
	} {
		for name := range s.do(t, r).header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %s: %s", r.Method, r.URL, name)
			}
		}
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	listed := configured(t, httpapi.Config{CORSOrigins: []string{"https://app.example.org", "http://localhost:5173", "https://*.example.com"}})
	open := configured(t, httpapi.Config{CORSOrigins: []string{"*"}})
	for name, c := range map[string]struct {
		server
		origin, allowed string
	}{
		"a listed one":             {listed, "https://app.example.org", "https://app.example.org"},
		"another listed one":       {listed, "http://localhost:5173", "http://localhost:5173"},
		"below a listed one":       {listed, "https://a.b.example.com", "https://a.b.example.com"},
		"the wildcard's parent":    {listed, "https://example.com", ""},
		"one that ends like it":    {listed, "https://notexample.com", ""},
		"one that begins like it":  {listed, "https://app.example.org.evil.net", ""},
		"another scheme":           {listed, "http://app.example.org", ""},
		"another port":             {listed, "https://app.example.org:8443", ""},
		"a sandboxed page or file": {listed, "null", ""},
		"none":                     {listed, "", ""},
		"any":                      {open, "https://whoever.example.net", "*"},
		"any, from a file":         {open, "null", "*"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/graphql", "/schema.graphql"} {
				asked := c.do(t, preflight(path, c.origin))
				wantHeaders(t, asked, c.allowed, map[string]string{
					"Access-Control-Allow-Methods": "POST",
					"Access-Control-Allow-Headers": "authorization,content-type",
					"Access-Control-Max-Age":       "7200",
				})
				if asked.status != http.StatusNoContent || asked.body != "" {
					t.Errorf("a preflight of %s: %d %s", path, asked.status, asked.body)
				}
			}
			answered := c.do(t, to("POST", "/graphql", "Origin", c.origin))
			wantHeaders(t, answered, c.allowed, map[string]string{"Access-Control-Expose-Headers": "Etag, Ratelimit, Ratelimit-Policy, Retry-After, X-Request-Id"})
			if answered.body != `{"data":{"__typename":"Query"}}` {
				t.Error(answered.body) // a client that is no browser does not mind
			}
			wantHeaders(t, c.do(t, to("GET", "/schema.graphql", "Origin", c.origin)), c.allowed, nil)
			wantHeaders(t, c.do(t, to("POST", "/graphql", "Origin", c.origin, "Authorization", "Basic x")), c.allowed, nil)
			for _, path := range []string{"/playground", "/metrics", "/livez", "/readyz", "/"} {
				if got := c.do(t, to("GET", path, "Origin", c.origin)).header; got.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s may be read from elsewhere: %v", path, got)
				}
			}
		})
	}
}

// wantHeaders fails the test unless an answer may be read by allowed, empty for
// nobody, has these headers where it may be, and never lets credentials in.
func wantHeaders(t *testing.T, a answer, allowed string, headers map[string]string) {
	t.Helper()
	if got := a.header.Get("Access-Control-Allow-Origin"); got != allowed {
		t.Errorf("Access-Control-Allow-Origin: %q, not %q", got, allowed)
	}
	for name, want := range headers {
		if allowed == "" {
			want = ""
		}
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
	if !strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Origin") {
		t.Errorf("Vary: %v", a.header.Values("Vary"))
	}
	if a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Error("credentials are allowed")
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"*", "https://app.example.org", "http://localhost:5173", "http://[::1]:3000", "https://*.example.org", "https://*.example.org:8443"} {
		if err := httpapi.CheckOrigin(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "null", "app.example.org", "https://", "https://app.example.org/", "https://app.example.org/path", "https://a:b@example.org",
		"ftp://example.org", "https://app.*.org", "https://*", "https://*.*.org", "*.example.org", "https://example.org?x", "https://%zz"} {
		if err := httpapi.CheckOrigin(bad); err == nil || !strings.Contains(err.Error(), "is no origin") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A page whose name was made to point at this machine reaches nothing.
func TestOnlyLoopbackNamesAreAnswered(t *testing.T) {
	t.Parallel()
	s := configured(t, httpapi.Config{LoopbackOnly: true})
	for _, host := range []string{"localhost", "LOCALHOST:8080", "127.0.0.1:8080", "127.1.2.3", "[::1]", "[::1]:8080"} {
		r := to("POST", "/graphql")
		if r.Host = host; s.do(t, r).status != http.StatusOK {
			t.Errorf("%s is refused", host)
		}
	}
	for _, host := range []string{"evil.example.net", "evil.example.net:8080", "localhost.evil.example.net", "127.0.0.1.evil.example.net", "192.168.1.7:8080", "0.0.0.0:8080", "[::]:8080", "", "localhost@evil.example.net"} {
		for _, target := range []string{"/graphql", "/playground", "/schema.graphql", "/metrics", "/readyz", "/"} {
			r := to("GET", target)
			r.Host = host
			got := s.do(t, r)
			if got.status != http.StatusMisdirectedRequest || !strings.Contains(got.body, "the Host header names another host") {
				t.Errorf("%s of %q: %d %s", target, host, got.status, got.body)
			}
		}
		r := to("POST", "/graphql", "Authorization", "Bearer alice")
		r.Host = host
		s.do(t, r).want(http.StatusMisdirectedRequest, "BAD_REQUEST")
	}
	anywhere := configured(t, httpapi.Config{})
	r := to("POST", "/graphql")
	if r.Host = "blog.example.org"; anywhere.do(t, r).status != http.StatusOK {
		t.Error("a server that does not believe whoever asks has any name")
	}
}
