package cassandra_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// movable is the machine's clock, wrong by what may be changed.
type movable struct{ ahead atomic.Int64 }

func (m *movable) Now() time.Time { return time.Now().Add(time.Duration(m.ahead.Load())) }

// besideNodes opens a store that compares a clock with the nodes' own.
func besideNodes(t *testing.T, config cassandra.Config, clock blog.Clock) *cassandra.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	store, err := cassandra.Open(ctx, config, blog.Options{Clock: clock})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	return store
}

const hundredDays = 100 * 24 * time.Hour

// A server whose clock is too far from the nodes' says so, and takes no command until it is
// right. Queries go on.
func TestClockBesideTheNodes(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	clock := &movable{}
	store := besideNodes(t, config, clock)
	user := testkeyspace.NewUser(t, store)
	for _, c := range []struct {
		ahead time.Duration
		says  string // empty: it is right
	}{
		{0, ""},
		{hundredDays, "2400h0m0s ahead of"},
		{5 * time.Second, ""},
		{-5 * time.Second, ""},
		{-time.Minute, "1m0s behind"},
		{time.Minute, "1m0s ahead of"},
		{0, ""},
	} {
		clock.ahead.Store(int64(c.ahead))
		writable := store.Writable(t.Context())
		_, err := store.CreatePost(t.Context(), blog.CreatePost{Author: user.ID, Title: "t", Content: "c"})
		if _, err := store.UserByID(t.Context(), user.ID); err != nil {
			t.Errorf("%v ahead: a query: %v", c.ahead, err)
		}
		if err := store.Ready(t.Context()); err != nil {
			t.Errorf("%v ahead: it is not ready to answer queries: %v", c.ahead, err)
		}
		for _, err := range []error{writable, err, store.Recover(t.Context())} {
			switch {
			case c.says == "" && err != nil:
				t.Errorf("%v ahead: %v", c.ahead, err)
			case c.says != "" && (blog.KindOf(err) != blog.Unavailable || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%v ahead: %v, want it to say that the clock is %s", c.ahead, err, c.says)
			}
		}
		if told := store.Upkeep().ClockOffset; (told - c.ahead).Abs() > 2*time.Second {
			t.Errorf("%v ahead: it tells of %v", c.ahead, told)
		}
	}
	feed, err := store.Feed(t.Context(), blog.PageRequest[blog.PostID]{Limit: 100})
	must(t, err)
	for _, post := range feed.Items {
		if off := time.Since(post.CreatedAt()); off.Abs() > time.Minute {
			t.Errorf("a post is dated %v ago", off)
		}
	}
}

// A server opens with a wrong clock, and takes commands once it is right.
func TestOpeningWithAWrongClock(t *testing.T) {
	t.Parallel()
	clock := &movable{}
	clock.ahead.Store(int64(hundredDays))
	store := besideNodes(t, shared.Config(t), clock)
	if err := store.Writable(t.Context()); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("100 days ahead: %v", err)
	}
	clock.ahead.Store(0)
	must(t, store.Writable(t.Context()))
	testkeyspace.NewUser(t, store)
}

// One server whose clock is far ahead makes a pass over the journal. What a right server
// leaves after that is recovered all the same, a minute later.
func TestRecoveryAfterAWrongClock(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	cluster := storetest.NewClock(time.Now())
	config.ClusterClock = cluster
	right := testkeyspace.Open(t, config, blog.Options{Clock: cluster})
	user, _ := prolific(t, right, size{posts: 2, comments: 4, likes: 2})
	must(t, right.Settle(t.Context()))

	wrong := testkeyspace.Open(t, config, blog.Options{Clock: storetest.NewClock(cluster.Now().Add(hundredDays))})
	if err := wrong.Recover(t.Context()); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("a server whose clock is ahead recovers: %v", err)
	}
	if ahead := wrong.Upkeep().ClockOffset; ahead != hundredDays {
		t.Errorf("it tells that it is %v ahead", ahead)
	}
	if positions := testkeyspace.Rows(t, config, "SELECT name FROM %s.checkpoints"); len(positions) != 0 {
		t.Errorf("it has written positions: %v", positions)
	}

	must(t, leftByDeathAt(t, config, cluster, updating(t, blog.UpdateUser{Actor: user.ID, Username: blog.SetTo("left_behind")})))
	cluster.Advance(time.Minute)
	must(t, recovered(t.Context(), right))
	testkeyspace.WantClean(t, config, right)
	if lag := right.Upkeep().RecoveryLag; lag <= 0 || lag > time.Minute {
		t.Errorf("its position is %v behind", lag)
	}
}

// A program that knew no time but its server's has put the position into the future, and
// left a command there. Both are mended.
func TestRecoveryMendsAPositionInTheFuture(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	cluster, ahead := storetest.NewClock(time.Now()), storetest.NewClock(time.Now().Add(hundredDays))
	right := testkeyspace.Open(t, config, blog.Options{Clock: cluster})
	user, _ := prolific(t, right, size{posts: 2, comments: 4, likes: 2})
	other := testkeyspace.NewUser(t, right)
	must(t, right.Settle(t.Context()))

	earlier := testkeyspace.Open(t, config, blog.Options{Clock: ahead}) // which it takes for the cluster's
	must(t, recovered(t.Context(), earlier))
	must(t, leftByDeathAt(t, config, ahead, updating(t, blog.UpdateUser{Actor: other.ID, Username: blog.SetTo("dated_ahead")})))
	cluster.Advance(time.Second)
	must(t, leftByDeathAt(t, config, cluster, updating(t, blog.UpdateUser{Actor: user.ID, Username: blog.SetTo("left_behind")})))

	cluster.Advance(30 * time.Second)
	found, err := audit.Verifying{}.Run(t.Context(), right)
	must(t, err)
	for _, table := range found.Tables {
		for _, example := range table.Examples {
			if strings.Contains(example.Problem, "left_behind") {
				t.Errorf("verify does not know that it is under way: %s, %s: %s", table.Table, example.Row, example.Problem)
			}
		}
	}
	cluster.Advance(30 * time.Second)
	must(t, recovered(t.Context(), right))
	testkeyspace.WantClean(t, config, right)
	if lag := right.Upkeep().RecoveryLag; lag <= 0 || lag > time.Minute {
		t.Errorf("the position is %v behind", lag)
	}
}

// A server whose clock is far ahead answers queries, and notes runs of deleted rows as it
// does. What another writes between rows that were deleted just now is not hidden.
func TestReadingWithAWrongClockHidesNothing(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	cluster := storetest.NewClock(time.Now())
	config.ClusterClock = cluster
	right := testkeyspace.Open(t, config, blog.Options{Clock: cluster})
	behind := testkeyspace.Open(t, config, blog.Options{Clock: storetest.NewClock(cluster.Now().Add(3 * time.Second))})
	wrong := testkeyspace.Open(t, config, blog.Options{Clock: storetest.NewClock(cluster.Now().Add(hundredDays))})
	user := testkeyspace.NewUser(t, right)
	post := testkeyspace.NewPost(t, right, user)
	for range 2 {
		atOnce(t, 200, func(int) error {
			c, _, err := right.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
			if err == nil {
				_, err = right.DeleteComment(t.Context(), blog.DeleteComment{Actor: user.ID, Key: c.Key()})
			}
			return err
		})
		cluster.Advance(6 * time.Second)
	}
	read := func(store *cassandra.Store) blog.CommentPage {
		page, err := store.CommentsByPost(t.Context(), blog.CommentsQuery{Post: post.ID, Page: blog.FirstPage[blog.CommentID](10)})
		must(t, err)
		return page
	}
	read(wrong)
	must(t, wrong.Settle(t.Context()))
	c, _, err := behind.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "stands"})
	must(t, err)
	for name, store := range map[string]*cassandra.Store{"right": right, "wrong": wrong} {
		if page := read(store); len(page.Items) != 1 || page.Items[0].ID != c.ID {
			t.Errorf("the server whose clock is %s shows %d comments, want the one that stands", name, len(page.Items))
		}
	}
}

// leftByDeathAt has a server make an edit by a clock, which dies as the truth is written. The
// reply to a dead server's edit is not waited for.
func leftByDeathAt(t *testing.T, config cassandra.Config, clock blog.Clock, edit func(*cassandra.Store) error) error {
	t.Helper()
	dead, answered := make(chan struct{}), make(chan error, 1)
	at := &atUserTruth{}
	config.ClusterClock = clock
	server := testkeyspace.Open(t, config, blog.Options{Clock: clock, Observer: at})
	at.do = func() { server.Crash(); close(dead) }
	at.on.Store(true)
	go func() { answered <- edit(server) }()
	select {
	case <-dead:
		return nil
	case err := <-answered:
		select {
		case <-dead: // and what it had begun was answered all the same
			return nil
		default:
			return fmt.Errorf("the edit was answered before its server died: %w", err)
		}
	}
}
