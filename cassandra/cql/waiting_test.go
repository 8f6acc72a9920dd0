package cql

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

var errAway = blog.Errorf(blog.Unavailable, "no node answers")

func TestInsistRepeatsWhatMayPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		errs  []error
		tried int
		want  error
	}{
		"what succeeds":                {[]error{nil}, 1, nil},
		"what succeeds later":          {[]error{errAway, errAway, ErrRefused, nil}, 4, nil},
		"a refusal for good":           {[]error{errAway, blog.ErrNoUser(), nil}, 2, blog.ErrNoUser()},
		"what another process does":    {[]error{ErrHeld, nil}, 1, ErrHeld},
		"a fault of the program's own": {[]error{errors.New("boom"), nil}, 1, errors.New("boom")},
	} {
		synctest.Test(t, func(t *testing.T) {
			tried := 0
			err := Insist(t.Context(), func(context.Context) error { tried++; return c.errs[tried-1] })
			if tried != c.tried || (err == nil) != (c.want == nil) || err != nil && err.Error() != c.want.Error() {
				t.Errorf("%s: %v after %d steps, want %v after %d", name, err, tried, c.want, c.tried)
			}
		})
	}
}

// The last failure is told, and not that the time is over.
func TestInsistEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		tried := 0
		if err := Insist(ctx, func(context.Context) error { tried++; return errAway }); err != errAway {
			t.Errorf("the error is %v", err)
		}
		// 10 ms, 20 ms … 1.28 s, and then 2 s each.
		if tried < 30 || tried > 50 {
			t.Errorf("%d steps in a minute", tried)
		}
	})
}

func TestUntil(t *testing.T) {
	t.Parallel()
	type step struct {
		done  bool
		guard any
		err   error
	}
	refused := func(guard any) step { return step{false, guard, nil} }
	for name, c := range map[string]struct {
		steps     []step
		patiently bool
		kind      string
	}{
		"done at once":                  {[]step{{true, nil, nil}}, false, ""},
		"done once the guard has moved": {[]step{refused(1), refused(1), refused(2), refused(2), {true, nil, nil}}, false, ""},
		"a row that refuses for ever":   {[]step{refused(1), refused(2), refused(2), refused(2)}, false, "contradict"},
		"others are waited for":         {[]step{refused(1), refused(nil), refused(1), refused(nil), refused(nil), {true, nil, nil}}, false, ""},
		"a failure":                     {[]step{refused(1), {false, nil, errAway}}, false, "no node"},
		"patience with a failure":       {[]step{{false, 1, errAway}, {false, 1, errAway}, {false, 1, errAway}, {true, nil, nil}}, true, ""},
		"patience with a refusal":       {[]step{{false, 1, errAway}, {false, 1, blog.ErrNoUser()}}, true, "user"},
	} {
		synctest.Test(t, func(t *testing.T) {
			made := 0
			attempt := Attempt(func() (bool, any, error) {
				made++
				return c.steps[made-1].done, c.steps[made-1].guard, c.steps[made-1].err
			})
			if c.patiently {
				attempt = Patiently(attempt)
			}
			err := Until(t.Context(), blog.UsersByID, "key", attempt)
			if made != len(c.steps) || (err == nil) != (c.kind == "") || err != nil && !strings.Contains(err.Error(), c.kind) {
				t.Errorf("%s: %v after %d attempts, want %q after %d", name, err, made, c.kind, len(c.steps))
			}
		})
	}
}

func TestUntilEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		contest, began := Contest{Table: blog.UsersByID}, time.Now()
		var err error
		for guard := 0; err == nil; guard++ {
			err = contest.Again(ctx, guard, guard%2 == 0)
		}
		if took := time.Since(began); blog.KindOf(err) != blog.Timeout || took != time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// What is Unavailable is repeated; a session that was closed stays so, and nobody waits for it.
func TestInsistEndsWithTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := []error{gocql.ErrNoConnections, gocql.ErrSessionClosed, nil}
		made := 0
		err := Insist(t.Context(), func(ctx context.Context) error {
			made++
			return Convert(ctx, tries[made-1])
		})
		if made != 2 || blog.KindOf(err) != blog.Unavailable {
			t.Errorf("%v after %d tries", err, made)
		}
	})
}
