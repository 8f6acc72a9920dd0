package httpapi_test

import (
	"context"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/httpapi"
)

// An answer that gets too large ends in errors, each text counted wherever it is given.
func TestAnswerLimit(t *testing.T) {
	t.Parallel()
	page := blog.Page[blog.Post]{Items: []blog.Post{{Title: strings.Repeat("x", 200)}}}
	s := limited(t, func(c *httpapi.Config) { c.Limits.Answer = 1000 })
	s.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(context.Context) (blog.Page[blog.Post], error) { return page, nil }})
	s.query(t, "{feed {edges {node {a: title b: title c: title d: title}}}}").want(200, "")
	got := s.query(t, "{feed {edges {node {a: title b: title c: title d: title e: title}}}}")
	if got.want(200, "QUERY_TOO_COMPLEX"); s.beyond(t, "answer") != 1 || len(got.body) > 1000 {
		t.Errorf("counted %d times: %s", s.beyond(t, "answer"), got.body)
	}
	page.Items[0].Title = "x"
	s.query(t, "{feed {edges {node {a: title b: title c: title d: title e: title}}}}").want(200, "")

	unlimited := limited(t, func(c *httpapi.Config) { c.Limits.Answer = 0 })
	page.Items[0].Title = strings.Repeat("x", 20<<20)
	unlimited.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(context.Context) (blog.Page[blog.Post], error) { return page, nil }})
	unlimited.query(t, "{feed {edges {node {title}}}}").want(200, "")
}

// A body that says that it is too large is refused before any of it is read.
func TestALengthBeyondTheLimit(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits.Body = 100 })
	body := &unread{}
	r := post("")
	r.Body, r.ContentLength = body, 101
	if s.do(t, r).want(413, "BAD_REQUEST"); body.reads > 0 {
		t.Error("it was read")
	}
}
