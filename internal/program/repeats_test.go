package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/storetest"
)

// awayStore is one that does not answer, each time from another port.
type awayStore struct {
	blog.Store
	asked int
}

func (s *awayStore) err() error {
	s.asked++
	return &blog.Error{Kind: blog.Unavailable, Message: "the store is away", Err: fmt.Errorf("read tcp 10.1.2.3:%d: reset", 30000+s.asked)}
}

func (s *awayStore) Ready(context.Context) error { return s.err() }

func (s *awayStore) Feed(context.Context, blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return blog.Page[blog.Post]{}, s.err()
}

// In an outage the log has a line of its cause now and then, with how often it was repeated; not one for each request.
func TestTheLogOfAnOutage(t *testing.T) {
	t.Parallel()
	const seconds, each = 60, 400
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		api := httpapi.New(httpapi.Config{Log: logFlags{Level: "warn"}.logger(&log)})
		store := &awayStore{Store: storetest.NewModel(blog.Options{})}
		api.Serve(store)
		defer api.Drain()
		for i := range seconds * each {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/graphql", strings.NewReader(`{"query":"{feed {edges {cursor}}}"}`))
			request.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			api.ServeHTTP(answer, request)
			if answer.Code != http.StatusServiceUnavailable {
				t.Fatalf("%d %s", answer.Code, answer.Body)
			}
			if i%each == 0 {
				api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/readyz", nil))
			}
			time.Sleep(time.Second / each)
		}
		text := log.String()
		if n := strings.Count(text, "\n"); n > 200 || n < seconds/10 {
			t.Errorf("the log has %d lines", n)
		}
		if !strings.Contains(text, "repeated=3999") || !strings.Contains(text, "10.1.2.3") || !strings.Contains(text, "the store is not ready") {
			t.Errorf("the log does not say what, how often and why: %.1000s", text)
		}
	})
}

// Causes that differ have a line each, as long as they are few; what is no warning has every line; and a count comes with
// whatever line is next.
func TestRepeatsInTheLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := logFlags{Level: "info", Format: "json"}.logger(&out)
		lines := func() int {
			defer out.Reset()
			return strings.Count(out.String(), "\n")
		}
		fail := func(cause string) { log.With("from", "a test").Warn("failed", "error", errors.New(cause)) }
		for range 5 {
			fail("one cause")
			fail("another")
			log.Info("request", "code", "OK")
			log.Info("request", "code", "CLIENT_CLOSED_REQUEST")
		}
		if n := lines(); n != 1+1+5+1 {
			t.Errorf("%d lines", n)
		}
		time.Sleep(repeatsEvery)
		log.Info("request")
		if text := out.String(); strings.Count(text, `"error":"another","repeated":4}`) != 1 || strings.Count(text, `"from":"a test"`) != 2 {
			t.Errorf("the counts: %s", text)
		}
		lines()
		for i := range 6 {
			log.Warn("a node is away", "node", fmt.Sprint("10.0.0.", i%2))
		}
		if n := lines(); n != 2 {
			t.Errorf("%d lines of two nodes", n)
		}
		time.Sleep(time.Second)
		if err := log.Handler().(unrepeated).count(t.Context(), time.Now(), 0); err != nil {
			t.Error(err)
		}
		if text := out.String(); strings.Count(text, `"repeated":2}`) != 2 || strings.Count(text, fmt.Sprintf("%q", time.Now().Format(time.RFC3339Nano))) != 2 {
			t.Errorf("the counts at the end: %s", text)
		}
		lines()
		for i := range 1000 {
			fail("cause " + strings.Repeat("x", i%100))
		}
		if n := lines(); n != causesApart+1 {
			t.Errorf("%d lines of too many causes, want %d", n, causesApart+1)
		}
		time.Sleep(repeatsEvery)
		fail("one cause")
		if text := out.String(); !strings.Contains(text, "one cause") {
			t.Errorf("a cause stays left out: %s", text)
		}
	})
}
