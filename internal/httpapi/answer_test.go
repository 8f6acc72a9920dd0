package httpapi_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// An answer that gets too large ends in errors, each text counted wherever it is given.
func TestAnswerLimit(t *testing.T) {
	t.Parallel()
	page := blog.Page[blog.Post]{Items: []blog.Post{{Title: strings.Repeat("x", 200)}}}
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Answer] = 1000 })
	s.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(context.Context) (blog.Page[blog.Post], error) { return page, nil }})
	s.query(t, "{feed {edges {node {a: title b: title c: title d: title}}}}").want(200, "")
	got := s.query(t, "{feed {edges {node {a: title b: title c: title d: title e: title}}}}")
	if got.want(200, "QUERY_TOO_COMPLEX"); s.beyond(t, "answer") != 1 || len(got.body) > 1000 {
		t.Errorf("counted %d times: %s", s.beyond(t, "answer"), got.body)
	}
	page.Items[0].Title = "x"
	s.query(t, "{feed {edges {node {a: title b: title c: title d: title e: title}}}}").want(200, "")

	unlimited := limited(t, func(c *httpapi.Config) { c.Limits[limit.Answer] = 0 })
	page.Items[0].Title = strings.Repeat("x", 20<<20)
	unlimited.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(context.Context) (blog.Page[blog.Post], error) { return page, nil }})
	unlimited.query(t, "{feed {edges {node {title}}}}").want(200, "")
}

// Large answers share the memory that they may take until they are written, and who finds no
// room is told so. Small ones need none.
func TestLargeAnswersShareTheirRoom(t *testing.T) {
	t.Parallel()
	page := blog.Page[blog.Post]{Items: []blog.Post{{Title: strings.Repeat("x", 600<<10)}}}
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Answers] = 2 << 20 })
	s.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(context.Context) (blog.Page[blog.Post], error) { return page, nil }})
	const large, small = `{"query":"{feed {edges {node {title}}}}"}`, "{feed {edges {node {version}}}}"

	slow := &slowReader{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	var asking sync.WaitGroup
	asking.Go(func() { s.ServeHTTP(slow, post(large)) })
	<-slow.begun
	for range 2 {
		if got := s.do(t, post(large)); got.header.Get("Retry-After") == "" || strings.Contains(got.body, `"data"`) {
			t.Errorf("%.300s", got.body)
		} else {
			got.want(503, "UNAVAILABLE")
		}
	}
	s.query(t, small).want(200, "")
	close(slow.read)
	asking.Wait()
	for range 5 {
		s.do(t, post(large)).want(200, "")
	}
	page.Items[0].Title = strings.Repeat("x", 4<<20) // refused while it is made
	s.do(t, post(large)).want(503, "UNAVAILABLE")
	page.Items[0].Title = page.Items[0].Title[:600<<10]
	s.do(t, post(large)).want(200, "")
	if n := s.beyond(t, "answers"); n != 3 {
		t.Errorf("counted %d times", n)
	}
}

// A body that says that it is too large is refused before any of it is read.
func TestALengthBeyondTheLimit(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Body] = 100 })
	body := &unread{}
	r := post("")
	r.Body, r.ContentLength = body, 101
	if s.do(t, r).want(413, "BAD_REQUEST"); body.reads > 0 {
		t.Error("it was read")
	}
}
