package resolvers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/resolvers"
)

const (
	tryAgain = "the store can't answer now; try again later"
	late     = "the deadline passed before the answer was there; a write may have happened or not"
)

func TestErrorsOfTheStore(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		want   failed
		logged bool
	}{
		"internal":          {&blog.Error{Kind: blog.Internal, Message: "secret", Err: errors.New("secret")}, failed{"feed", "INTERNAL_SERVER_ERROR", "internal error"}, true},
		"no domain error":   {errors.New("secret"), failed{"feed", "INTERNAL_SERVER_ERROR", "internal error"}, true},
		"unavailable":       {&blog.Error{Kind: blog.Unavailable, Err: errors.New("secret")}, failed{"feed", "UNAVAILABLE", tryAgain}, true},
		"with a hint":       {&blog.Error{Kind: blog.Unavailable, Message: "the schema is too old", Err: errors.New("secret")}, failed{"feed", "UNAVAILABLE", "the schema is too old"}, true},
		"timeout":           {&blog.Error{Kind: blog.Timeout, Err: errors.New("secret")}, failed{"feed", "TIMEOUT", late}, true},
		"a context's own":   {fmt.Errorf("secret: %w", context.DeadlineExceeded), failed{"feed", "TIMEOUT", late}, true},
		"invalid":           {blog.FieldErrorf(blog.Invalid, "after", "is odd"), failed{"feed", "BAD_USER_INPUT", "after: is odd"}, false},
		"too long":          {blog.Errorf(blog.TooLong, "is long"), failed{"feed", "BAD_USER_INPUT", "is long"}, false},
		"taken":             {blog.Errorf(blog.Taken, "is taken"), failed{"feed", "BAD_USER_INPUT", "is taken"}, false},
		"forbidden":         {blog.Errorf(blog.Forbidden, "is yours"), failed{"feed", "FORBIDDEN", "is yours"}, false},
		"version conflict":  {blog.Errorf(blog.VersionConflict, "is old"), failed{"feed", "BAD_USER_INPUT", "is old"}, false},
		"deleted meanwhile": {blog.Errorf(blog.NotFound, "is gone"), failed{"feed", "UNAVAILABLE", "is gone"}, true},
		"wrapped":           {fmt.Errorf("secret: %w", blog.Errorf(blog.Forbidden, "is yours")), failed{"feed", "FORBIDDEN", "is yours"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.feed = func(page blog.Page[blog.Post], _ error) (blog.Page[blog.Post], error) { return page, tc.err }
			response := s.ask(resolvers.WithAsker(t.Context(), &resolvers.Asker{RequestID: "r-7"}), `{ feed { edges { cursor } } }`)
			s.wantErrors(response, tc.want)
			s.wantHidden(response, "secret")
			if logged := strings.Contains(s.log.String(), "request=r-7"); logged != tc.logged {
				t.Errorf("logged: %v, want %v: %s", logged, tc.logged, &s.log)
			}
			if pointed := response.Errors[0].Extensions["requestId"] == "r-7"; pointed != tc.logged {
				t.Errorf("extensions are %v; the id belongs there if and only if the log has more", response.Errors[0].Extensions)
			}
			if strings.Contains(tc.err.Error(), "secret") && tc.logged && !strings.Contains(s.log.String(), "secret") {
				t.Errorf("the cause was not logged: %s", &s.log)
			}
		})
	}
}

func (s *stub) wantHidden(response any, secret string) {
	s.t.Helper()
	text, err := json.Marshal(response)
	if err != nil || strings.Contains(string(text), secret) {
		s.t.Errorf("%s shows in %s (%v)", secret, text, err)
	}
}

func TestPanicIsAnInternalError(t *testing.T) {
	for name, tc := range map[string]struct {
		set   func(s *stub)
		query string
		path  string
	}{
		"of a resolver": {
			func(s *stub) {
				s.feed = func(blog.Page[blog.Post], error) (blog.Page[blog.Post], error) { panic("secret") }
			},
			`{ feed { edges { cursor } } }`, "feed",
		},
		"of a loader": {
			func(s *stub) {
				s.postByID = func(context.Context, blog.PostID) (blog.Post, error) { panic("secret") }
			},
			`{ feed(first: 1) { edges { node { content } } } }`, "feed.edges[0].node.content",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			tc.set(s)
			response := s.ask(t.Context(), tc.query)
			s.wantErrors(response, failed{tc.path, "INTERNAL_SERVER_ERROR", "internal error"})
			s.wantHidden(response, "secret")
			if log := s.log.String(); !strings.Contains(log, "secret") || !strings.Contains(log, "errors_test.go") {
				t.Errorf("the log lacks the cause or the stack: %s", log)
			}
		})
	}
}

// What a person did wrong is in the payload; a payload never hides a failure.
func TestErrorsOfACommand(t *testing.T) {
	const create = `mutation { createPost(input: {title: "T", content: "C"}) { post { id } userErrors { code field } } }`
	for name, tc := range map[string]struct {
		err  error
		data string
		want []failed
	}{
		"two mistakes": {
			errors.Join(blog.FieldErrorf(blog.Invalid, "title", "x"), blog.FieldErrorf(blog.TooLong, "content", "x")),
			`{"createPost":{"post":null,"userErrors":[{"code":"INVALID","field":["title"]},{"code":"TOO_LONG","field":["content"]}]}}`, nil,
		},
		"a mistake and a failure": {
			errors.Join(blog.FieldErrorf(blog.Invalid, "title", "x"), blog.Errorf(blog.Unavailable, "")),
			`null`, []failed{{"createPost", "UNAVAILABLE", tryAgain}},
		},
		"unavailable":     {blog.Errorf(blog.Unavailable, ""), `null`, []failed{{"createPost", "UNAVAILABLE", tryAgain}}},
		"timeout":         {blog.Errorf(blog.Timeout, ""), `null`, []failed{{"createPost", "TIMEOUT", late}}},
		"internal":        {blog.Errorf(blog.Internal, "x"), `null`, []failed{{"createPost", "INTERNAL_SERVER_ERROR", "internal error"}}},
		"no domain error": {errors.New("x"), `null`, []failed{{"createPost", "INTERNAL_SERVER_ERROR", "internal error"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.createPost = func() (blog.Post, error) { return blog.Post{}, tc.err }
			response := s.ask(as(t, "a"), create)
			s.want(response, tc.data)
			s.wantErrors(response, tc.want...)
		})
	}
}

func TestAccountThatCannotBeRead(t *testing.T) {
	s := newStub(t)
	s.userBySubject = func(string) (blog.User, error) { return blog.User{}, blog.Errorf(blog.Unavailable, "") }
	s.createPost = func() (blog.Post, error) {
		t.Error("wrote without knowing who")
		return blog.Post{}, nil
	}
	s.wantErrors(s.ask(as(t, "a"), `mutation { createPost(input: {title: "T", content: "C"}) { userErrors { code } } }`),
		failed{"createPost", "UNAVAILABLE", tryAgain})
	s.wantErrors(s.ask(as(t, "a"), `{ viewer { id } }`), failed{"viewer", "UNAVAILABLE", tryAgain})
	response := s.ask(as(t, "a"), `{ feed(first: 1) { edges { node { id viewerHasLiked } } } }`)
	s.want(response, `{"feed":{"edges":[{"node":{"id":"<post:p25>","viewerHasLiked":null}}]}}`)
	s.wantErrors(response, failed{"feed.edges[0].node.viewerHasLiked", "UNAVAILABLE", tryAgain})
}
