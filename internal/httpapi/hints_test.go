package httpapi_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"broadsheet/internal/httpapi"
)

// What a request shows to be missing in the configuration is logged once, with the flag, and is
// counted each time.
func TestHints(t *testing.T) {
	t.Parallel()
	const proxy, peer = "10.0.0.7:5000", "192.0.2.9:5000"
	forwarded := func(from string) *http.Request {
		r := to("POST", "/graphql", "X-Forwarded-For", "198.51.100.1")
		r.RemoteAddr = from
		return r
	}
	log := &lines{}
	s := configured(t, httpapi.Config{
		Log:            slog.New(slog.NewTextHandler(log, nil)),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		CORSOrigins:    []string{"https://app.example.org"},
	})
	for name, c := range map[string]struct {
		silent, telling *http.Request
		flag, about     string
	}{
		"a proxy":  {forwarded(proxy), forwarded(peer), "--trusted-proxies", "192.0.2.9"},
		"a page":   {preflight("/graphql", "https://app.example.org"), preflight("/graphql", "https://web.example.org"), "--cors-origins", "https://web.example.org"},
		"no proxy": {to("POST", "/graphql"), forwarded(peer), "--trusted-proxies", "192.0.2.9"},
	} {
		counted := func() string {
			for line := range strings.Lines(s.get(t, "/metrics").body) {
				if value, ok := strings.CutPrefix(line, `broadsheet_hints_total{flag="`+c.flag+`"} `); ok {
					return strings.TrimSpace(value)
				}
			}
			return "0"
		}
		before := counted()
		if s.do(t, c.silent); counted() != before {
			t.Errorf("%s: what lacks nothing is counted", name)
		}
		for range 2 {
			before = counted()
			if s.do(t, c.telling); counted() == before {
				t.Errorf("%s: not counted", name)
			}
		}
		told := log.with(c.flag)
		if len(told) != 1 || !strings.Contains(told[0], "WARN") || !strings.Contains(told[0], c.about) {
			t.Errorf("%s: %q", name, told)
		}
	}
}

// Operators are answered whatever the clients are told.
func TestOperatorsApart(t *testing.T) {
	t.Parallel()
	s := startWith(t, httpapi.Config{OperatorsApart: true})
	s.Serve(memory(t, nil))
	ask := func(path string) int {
		w := httptest.NewRecorder()
		s.Operators().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	if ready, elsewhere := ask("/readyz"), s.get(t, "/readyz").status; ready != 200 || elsewhere != 404 {
		t.Errorf("%d, %d where clients are answered", ready, elsewhere)
	}
	s.Drain()
	if ready, live, metrics := ask("/readyz"), ask("/livez"), ask("/metrics"); ready != 503 || live != 200 || metrics != 200 {
		t.Errorf("while it drains: ready %d, live %d, metrics %d", ready, live, metrics)
	}
}

// A page that is kept away is told by which flag, where its console shows it.
func TestPreflightNamesItsFlag(t *testing.T) {
	t.Parallel()
	s := serving(t)
	got := s.do(t, preflight("/graphql", "https://app.example.org"))
	if got.want(405, "BAD_REQUEST"); !strings.Contains(got.body, "--cors-origins") {
		t.Error(got.body)
	}
	if got := s.do(t, httptest.NewRequest(http.MethodOptions, "/graphql", nil)); strings.Contains(got.body, "--cors-origins") {
		t.Errorf("no page asked: %s", got.body)
	}
}

// Somebody who goes to the API's address is shown the playground; a program gets its answer.
func TestBrowserAtTheAPI(t *testing.T) {
	t.Parallel()
	s := serving(t)
	const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	got := s.do(t, to("GET", "/graphql", "Accept", accept))
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/playground" || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", got.status, got.header)
	}
	s.do(t, to("GET", "/graphql")).want(400, "BAD_REQUEST")
	if got := s.do(t, to("GET", "/graphql?query=%7B__typename%7D", "Accept", accept)); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// That a process lives says nothing of whether it is ready.
func TestLivezTellsNoMore(t *testing.T) {
	t.Parallel()
	if got := serving(t).get(t, "/livez"); got.status != http.StatusOK || got.body != "{\"live\":true}\n" {
		t.Errorf("%d %s", got.status, got.body)
	}
}
