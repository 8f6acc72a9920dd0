package httpapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"broadsheet/blog"
)

// That the store's disk is full is told to whoever asks, and where it is only to the log.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	full := &blog.Error{Kind: blog.Unavailable, Message: "the disk is full", Err: errors.New("/var/lib/data")}
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
	if s.log.with("/var/lib/data") == nil {
		t.Error("the log does not know where")
	}
}
