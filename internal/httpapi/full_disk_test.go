package httpapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"broadsheet/blog"
)

// What the store told the log when it began, as that its disk is full, is told to whoever
// asks, and not to the log with each request.
func TestAReasonThatIsLogged(t *testing.T) {
	t.Parallel()
	full := &blog.Error{Kind: blog.Unavailable, Message: "the disk is full", Err: errors.New("/var/lib/data"), Logged: true}
	s := start(t)
	s.Serve(stub{
		ready:    func() error { return nil },
		writable: func() error { return full },
		feed:     func(context.Context) (blog.Page[blog.Post], error) { return blog.Page[blog.Post]{}, full },
	})
	for range 3 {
		got := s.query(t, "{feed {edges {cursor}}}")
		got.want(503, "UNAVAILABLE")
		for want, got := range map[int]answer{503: got, 200: s.get(t, "/readyz")} {
			if got.status != want || !strings.Contains(got.body, "the disk is full") || strings.Contains(got.body, "/var") {
				t.Errorf("%d %s", got.status, got.body)
			}
		}
	}
	if told := append(s.log.with("a request failed"), s.log.with("refuses commands")...); len(told) != 0 {
		t.Errorf("the log is told again: %v", told)
	}
}
