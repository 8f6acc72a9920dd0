package dataset

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/audit"
)

func memory(t *testing.T) *embedded.Store {
	t.Helper()
	store, err := embedded.InMemory(embedded.Options{})
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

type counter struct{ atomic.Int64 }

func (c *counter) Add(n int) error { c.Int64.Add(int64(n)); return nil }

// A plan is dated over two years, to now, whatever the clock is when it ends.
func TestAPlanIsOfTwoYears(t *testing.T) {
	t.Parallel()
	var clock Clock
	began := time.Now()
	store, err := embedded.InMemory(embedded.Options{Options: blog.Options{Clock: &clock}})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := NewPlan(DemoSize, DemoSeed).Write(t.Context(), store, Writing{Clock: &clock}); err != nil {
		t.Fatal(err)
	}
	page := blog.FirstPage[blog.PostID](20)
	newest, err := store.Feed(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	page.Backward = true
	oldest, err := store.Feed(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct{ from, to, at time.Time }{
		"the newest":  {began.Add(-2 * time.Hour), time.Now(), newest.Items[0].CreatedAt()},
		"a page's":    {began.Add(-15 * 24 * time.Hour), began.Add(-time.Hour), newest.Items[19].CreatedAt()},
		"the oldest":  {began.Add(-Span), began.Add(-Span + 30*24*time.Hour), oldest.Items[19].CreatedAt()},
		"what is now": {began, time.Now(), clock.Now()},
	} {
		if c.at.Before(c.from.Truncate(time.Millisecond)) || c.at.After(c.to.Add(time.Second)) {
			t.Errorf("%s is of %v, want between %v and %v", what, c.at, c.from, c.to)
		}
	}
}

func TestWhatIsPlannedIsWritten(t *testing.T) {
	t.Parallel()
	store, plan := memory(t), NewPlan(DemoSize, DemoSeed)
	var steps counter
	if err := plan.Write(t.Context(), store, Writing{Progress: &steps}); err != nil {
		t.Fatal(err)
	}
	var found Totals
	reader, err := store.Audit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	standing := func(table blog.Table, n *int) error {
		return reader.EachTruth(t.Context(), table, 0, false, func(r audit.TruthRow) error {
			if r.Stands() {
				*n++
			}
			return nil
		})
	}
	err = errors.Join(
		standing(blog.UsersByID, &found.Users), standing(blog.PostsByID, &found.Posts),
		standing(blog.CommentsByPost, &found.Comments), standing(blog.LikeClaims, &found.Likes), standing(blog.FollowClaims, &found.Follows),
		standing(blog.GroupsByID, &found.Groups), standing(blog.MemberClaims, &found.Members),
		reader.Close())
	if want := plan.Totals(); err != nil || found != want || int(steps.Load()) != want.Commands() {
		t.Errorf("%+v stand after %d steps, not %+v: %v", found, steps.Load(), want, err)
	}
	verified, err := audit.Verifying{}.Run(t.Context(), store)
	if err != nil || verified.Drifted() > 0 {
		t.Errorf("%d copies drifted: %v", verified.Drifted(), err)
	}
}

// faulty makes users only, and fails as it is told to.
type faulty struct {
	blog.Store
	calls int
	fail  func(call int) error
}

func (f *faulty) CreateUser(context.Context, blog.CreateUser) (blog.User, error) {
	f.calls++
	return blog.User{}, f.fail(f.calls)
}

func TestCommandsAreRepeated(t *testing.T) {
	t.Parallel()
	away := blog.Errorf(blog.Unavailable, "away")
	for name, c := range map[string]struct {
		fail  func(call int) error
		calls int
		kind  blog.Kind // of the outcome; Internal: success
	}{
		"what was away for a while":       {func(call int) error { return unless(call == 4, away) }, 4, blog.Internal},
		"what took too long":              {func(call int) error { return unless(call == 2, blog.Errorf(blog.Timeout, "late")) }, 2, blog.Internal},
		"but not what stays away":         {func(int) error { return away }, attempts, blog.Unavailable},
		"and not what the command caused": {func(int) error { return blog.ErrTaken("username") }, 1, blog.Taken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				store := &faulty{fail: c.fail}
				err := NewPlan(Size{Users: 1}, 1).Write(t.Context(), store, Writing{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
				retried := strings.Count(log.String(), "\n")
				if succeeded := c.kind == blog.Internal; succeeded != (err == nil) || blog.KindOf(err) != c.kind {
					t.Errorf("the outcome is %v", err)
				}
				if store.calls != c.calls || retried != c.calls-1 {
					t.Errorf("%d calls and %d repetitions, not %d calls", store.calls, retried, c.calls)
				}
			})
		})
	}
}

func unless(done bool, err error) error {
	if done {
		return nil
	}
	return err
}

func TestWritingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		store := &faulty{fail: func(int) error { return blog.Errorf(blog.Unavailable, "away") }}
		err := NewPlan(Size{Users: 1}, 1).Write(ctx, store, Writing{})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			t.Errorf("%v after %s", err, took)
		}
	})
}
