package httpapi_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"broadsheet/blog"
	"broadsheet/httpapi"
)

// Four who ask the same at once: one is answered by the read that has begun, the others
// share the next one. Whoever asks something else, or has a token, does not share it.
func TestSharedAnswers(t *testing.T) {
	t.Parallel()
	const text = "query Feed($n: Int) {feed(first: $n) {edges {cursor}}}"
	s := limited(t, func(c *httpapi.Config) { c.ShareReads = true })
	var reads atomic.Int64
	entered, leave := make(chan struct{}, 10), make(chan struct{})
	s.Serve(stub{
		upkeep: func() blog.Upkeep { return blog.Upkeep{} },
		feed: func(context.Context) (blog.Page[blog.Post], error) {
			reads.Add(1)
			entered <- struct{}{}
			<-leave
			return blog.Page[blog.Post]{}, nil
		},
	})
	var all sync.WaitGroup
	ask := func(body string, headers ...string) {
		all.Go(func() {
			got := s.do(t, post(body, headers...))
			if got.want(200, ""); got.body != `{"data":{"feed":{"edges":[]}}}` {
				t.Errorf("%s", got.body)
			}
		})
	}
	same := `{"query":"` + text + `","variables":{"n":3}}`
	ask(same)
	<-entered
	for range 3 {
		ask(same)
	}
	until(func() bool {
		return strings.Contains(s.get(t, "/metrics").body, "\nbroadsheet_shared_reads_total{query=\"response\"} 2\n")
	})
	ask(`{"query":"` + text + `","variables":{"n":4}}`)
	<-entered // at once
	close(leave)
	all.Wait()
	if reads.Load() != 3 {
		t.Errorf("the feed was read %d times", reads.Load())
	}
}

func until(happened func() bool) {
	for !happened() {
		runtime.Gosched()
	}
}

// An answer with errors is everybody's, each with his own request's limits.
func TestSharedErrors(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.ShareReads = true })
	s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) {
		return blog.Page[blog.Post]{}, blog.Errorf(blog.Unavailable, "away")
	}})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				s.query(t, "{feed {edges {cursor}}}").want(503, "UNAVAILABLE")
			}
		})
	}
	all.Wait()
}

// An error that several share points each of them to his own request, and the access log
// from there to the one whose cause was logged.
func TestSharedErrorsNameEachRequest(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.ShareReads = true })
	entered, leave := make(chan struct{}, 10), make(chan struct{})
	s.Serve(stub{
		upkeep: func() blog.Upkeep { return blog.Upkeep{} },
		feed: func(context.Context) (blog.Page[blog.Post], error) {
			entered <- struct{}{}
			<-leave
			return blog.Page[blog.Post]{}, blog.Errorf(blog.Unavailable, "away")
		},
	})
	var all sync.WaitGroup
	ask := func(id string) {
		all.Go(func() {
			got := s.query(t, "{feed {edges {cursor}}}", "X-Request-Id", id)
			if !strings.Contains(got.body, `"requestId":"`+id+`"`) {
				t.Errorf("request %s: %s", id, got.body)
			}
		})
	}
	ask("first")
	<-entered
	for _, id := range []string{"second", "third", "fourth"} {
		ask(id)
	}
	until(func() bool {
		return strings.Contains(s.get(t, "/metrics").body, "\nbroadsheet_shared_reads_total{query=\"response\"} 2\n")
	})
	close(leave)
	all.Wait()
	if failed, pointing := s.log.with("a request failed"), s.log.with(" cause="); len(failed) != 2 || len(pointing) != 2 {
		t.Errorf("%d causes are logged and %d requests point to one, want 2 and 2: %v", len(failed), len(pointing), pointing)
	}
}
