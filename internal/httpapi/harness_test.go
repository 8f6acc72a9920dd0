package httpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/httpapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is an API without a network, and what it logs.
type server struct {
	*httpapi.API
	log *lines
}

// start returns an API that has no store yet.
func start(t *testing.T) server {
	t.Helper()
	return startWith(t, httpapi.Config{})
}

// startWith is start with what a test says of its own.
func startWith(t *testing.T, c httpapi.Config) server {
	t.Helper()
	log := &lines{}
	c.Log = cmp.Or(c.Log, slog.New(slog.NewTextHandler(log, nil)))
	c.Tokens, c.SDL = cmp.Or[httpapi.Tokens](c.Tokens, httpapi.DevTokens{}), "type Query\n"
	return server{httpapi.New(c), log}
}

// tokens are those that a test judges.
type tokens struct {
	httpapi.DevTokens
	bearer  func(context.Context, string) (blog.Bearer, error)
	known   string // nothing else is known
	fetches *fetches
}

func (t tokens) Bearer(ctx context.Context, token string) (blog.Bearer, error) {
	return t.bearer(ctx, token)
}

func (t tokens) Known(token string) bool { return token == t.known }

// fetches are those of keys.
type fetches struct {
	last       time.Time
	ok, failed uint64
}

func (t tokens) Fetches() (last time.Time, ok, failed uint64, changing bool) {
	if t.fetches == nil {
		return t.DevTokens.Fetches()
	}
	return t.fetches.last, t.fetches.ok, t.fetches.failed, true
}

// serving returns an API over an empty store.
func serving(t *testing.T) server {
	t.Helper()
	s := start(t)
	s.Serve(memory(t, s.Observer()))
	return s
}

func memory(t *testing.T, observer blog.Observer) blog.Store {
	t.Helper()
	store, err := embedded.InMemory(embedded.Options{Options: blog.Options{Observer: observer}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// stub answers what it is told to; everything else panics.
type stub struct {
	blog.Store
	upkeep   func() blog.Upkeep
	ready    func() error // nil: it is
	writable func() error // likewise
	feed     func(context.Context) (blog.Page[blog.Post], error)
}

func (s stub) Upkeep() blog.Upkeep {
	if s.upkeep == nil {
		return blog.Upkeep{}
	}
	return s.upkeep()
}

func (s stub) Ready(context.Context) error { return orNil(s.ready) }

func (s stub) Writable(context.Context) error { return orNil(s.writable) }

func orNil(answer func() error) error {
	if answer == nil {
		return nil
	}
	return answer()
}

func (s stub) Feed(ctx context.Context, _ blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return s.feed(ctx)
}

// answer is a response, decoded.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

func (s server) do(t *testing.T, r *http.Request) answer {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return answer{t: t, status: w.Code, header: w.Header(), body: w.Body.String()}
}

func (s server) get(t *testing.T, target string) answer {
	t.Helper()
	return s.do(t, httptest.NewRequest(http.MethodGet, target, nil))
}

// query posts an operation as a client does, with headers in pairs.
func (s server) query(t *testing.T, text string, headers ...string) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": text})
	if err != nil {
		t.Fatal(err)
	}
	return s.do(t, post(string(body), headers...))
}

func post(body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// code returns the code of the first error, empty where there is none. Whatever
// it is, a GraphQL response has it where clients look for it.
func (a answer) code() string {
	a.t.Helper()
	var response struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(a.body), &response); err != nil {
		a.t.Fatalf("%d %q is no GraphQL response: %v", a.status, a.body, err)
	}
	if len(response.Errors) == 0 {
		return ""
	}
	if response.Errors[0].Message == "" {
		a.t.Errorf("an error without a message: %s", a.body)
	}
	return response.Errors[0].Extensions.Code
}

func (a answer) want(status int, code string) {
	a.t.Helper()
	if got := a.code(); a.status != status || got != code {
		a.t.Errorf("%d %q, not %d %q: %s", a.status, got, status, code, a.body)
	}
}

// lines is a log that may be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) with(part string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}
