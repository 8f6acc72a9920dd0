package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

// recorder counts failures instead of failing.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// faulty returns one error from everything that the test calls.
type faulty struct {
	blog.Store
	err error
}

func (s faulty) CreatePost(context.Context, blog.CreatePost) (blog.Post, error) {
	return blog.Post{}, s.err
}

func (s faulty) UserByID(context.Context, blog.UserID) (blog.User, error) {
	return blog.User{}, s.err
}

func (s faulty) Feed(context.Context, blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return blog.Page[blog.Post]{}, s.err
}

func TestCheckedFailsOnErrorsThatNoCommentNames(t *testing.T) {
	const ok, bad = true, false
	for name, c := range map[string]struct {
		err              error
		post, user, feed bool
	}{
		"none":                            {nil, ok, ok, ok},
		"a timeout":                       {blog.Errorf(blog.Timeout, "late"), ok, ok, ok},
		"not found":                       {blog.ErrNoUser(), ok, ok, bad},
		"a key whose object is gone":      {blog.ErrGoneSince("post"), ok, ok, bad},
		"forbidden":                       {blog.ErrNoAccount(), ok, bad, bad},
		"taken":                           {blog.ErrTaken("title"), bad, bad, bad},
		"two faults":                      {errors.Join(blog.Errorf(blog.Invalid, "a"), blog.Errorf(blog.TooLong, "b")), ok, bad, bad},
		"two faults, one of another kind": {errors.Join(blog.Errorf(blog.Invalid, "a"), blog.ErrTaken("b")), bad, bad, bad},
		"wrapped":                         {fmt.Errorf("x: %w", blog.Errorf(blog.Internal, "a")), ok, ok, ok},
		"a driver's":                      {errors.New("connection refused"), bad, bad, bad},
		"a context's":                     {context.DeadlineExceeded, bad, bad, bad},
	} {
		r := &recorder{TB: t}
		store := storetest.Checked(r, faulty{err: c.err})
		accepted := func(_ any, err error) bool {
			if err != c.err {
				t.Errorf("%s became %v", name, err)
			}
			n := len(r.failures)
			r.failures = nil
			return n == 0
		}
		if got := accepted(store.CreatePost(t.Context(), blog.CreatePost{})); got != c.post {
			t.Errorf("%s from CreatePost: accepted %v", name, got)
		}
		if got := accepted(store.UserByID(t.Context(), blog.UserID{})); got != c.user {
			t.Errorf("%s from UserByID: accepted %v", name, got)
		}
		if got := accepted(store.Feed(t.Context(), blog.PageRequest[blog.PostID]{})); got != c.feed {
			t.Errorf("%s from Feed: accepted %v", name, got)
		}
	}
}
