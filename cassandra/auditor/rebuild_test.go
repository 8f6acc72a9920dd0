package auditor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

const (
	hotPosts = 8 // that all writers share

	// mostCommands is how many a writer gives at most. Every eighth is a rename, which has to
	// reach all that its writer has written: without an end the renames would fall behind on a
	// slow machine, ever further, and what waits for them would wait for good.
	mostCommands = 200
)

// keepWriting runs writers that post, comment, like, edit, rename and delete on the same
// posts, until the function that it returns is called, or they have given their commands; then all
// is settled.
func keepWriting(t *testing.T, store *cassandra.Store, writers int) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var posts sync.Map
	var group sync.WaitGroup
	var commands atomic.Int64
	author := testkeyspace.NewUser(t, store)
	for i := range hotPosts {
		posts.Store(i, testkeyspace.NewPost(t, store, author).ID)
	}
	for i := range writers {
		me := testkeyspace.NewUser(t, store)
		group.Go(func() {
			for n := 0; n < mostCommands && ctx.Err() == nil; n++ {
				if err := giveCommand(context.WithoutCancel(ctx), store, &posts, me, i, n); err != nil && !blog.IsNotFound(err) {
					t.Errorf("writer %d, command %d: %v", i, n, err)
					return
				}
				commands.Add(1)
			}
		})
	}
	end := sync.OnceFunc(func() {
		cancel()
		group.Wait()
	})
	t.Cleanup(end)
	return func() {
		t.Helper()
		end()
		must(t, store.Settle(t.Context()))
		t.Logf("%d commands ran meanwhile", commands.Load())
	}
}

// giveCommand gives one command, another each time.
func giveCommand(ctx context.Context, store *cassandra.Store, posts *sync.Map, me blog.User, i, n int) error {
	held, _ := posts.Load((i + n) % hotPosts)
	post := held.(blog.PostID)
	switch n % 8 {
	case 0, 1, 2:
		c, _, err := store.CreateComment(ctx, blog.CreateComment{Author: me.ID, Post: post, Content: "c"})
		if err == nil && n%8 == 1 {
			_, err = store.UpdateComment(ctx, blog.UpdateComment{Actor: me.ID, Key: c.Key(), Content: "d"})
		}
		if err == nil && n%8 == 2 {
			_, err = store.DeleteComment(ctx, blog.DeleteComment{Actor: me.ID, Key: c.Key()})
		}
		return err
	case 3:
		return storetest.ReactEach(ctx, store, me.ID, post)
	case 4:
		_, err := store.UnlikePost(ctx, blog.UnlikePost{Actor: me.ID, Post: post})
		return err
	case 5:
		_, err := store.UpdateUser(ctx, blog.UpdateUser{Actor: me.ID, Username: blog.SetTo(fmt.Sprintf("%.20s_%d", me.Username, n))})
		return err
	case 6:
		p, err := store.CreatePost(ctx, blog.CreatePost{Author: me.ID, Title: "t", Content: "c"})
		if err == nil && i%2 == 0 {
			posts.Store((i+n)%hotPosts, p.ID)
		}
		return err
	default:
		p, err := store.CreatePost(ctx, blog.CreatePost{Author: me.ID, Title: "t", Content: "c"})
		if err != nil {
			return err
		}
		if _, _, err := store.CreateComment(ctx, blog.CreateComment{Author: me.ID, Post: p.ID, Content: "c"}); err != nil {
			return err
		}
		return store.DeletePost(ctx, blog.DeletePost{Actor: me.ID, Post: p.ID})
	}
}

// While commands run nothing is called drift that only has not arrived yet.
func testVerifyUnderWriters(t *testing.T, config cassandra.Config) {
	cassandratest.Real(t, "its pace: verify reads so many rows a second, and the writers of a double write more")
	store := testkeyspace.Emptied(t, config)
	stop := keepWriting(t, store, 16)
	for range 2 {
		began := time.Now()
		got, err := audit.Verifying{}.Run(t.Context(), store)
		must(t, err)
		for _, f := range found(got) {
			t.Errorf("under writers: %s", f)
		}
		t.Logf("%d rows in flight after %s", got.InFlight(), time.Since(began))
	}
	stop()
	wantDrift(t, "afterwards", verified(t, store, audit.Verifying{}), nil)
}

// Each table of copies is emptied and built anew while commands run.
func testRebuild(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	var worlds []small
	for range 5 {
		w := newSmall(t, store)
		publishInGroup(t, store, w.user)
		must(t, storetest.ReactEach(t.Context(), store, w.user.ID, w.post.ID))
		worlds = append(worlds, w)
	}
	must(t, store.Settle(t.Context()))
	before := answers(t, store, worlds)
	for _, table := range blog.Rebuildable() {
		stop := keepWriting(t, store, 4)
		testkeyspace.Execute(t, config, "TRUNCATE %s."+string(table))
		built, err := audit.Rebuilding{Await: func(context.Context, time.Duration) error {
			stop() // those that may write what they decided before the table was emptied
			stop = keepWriting(t, store, 4)
			return nil
		}}.Run(t.Context(), store, table)
		must(t, err)
		stop()
		if built.Rows == 0 || built.Verified.Left() > 0 {
			t.Errorf("%s: %d rows, %v", table, built.Rows, found(built.Verified))
		}
		wantDrift(t, string(table)+" rebuilt", verified(t, store, audit.Verifying{}), nil)
	}
	after := answers(t, store, worlds)
	for i := range before[:len(before)-1] { // but for the feed, to which the writers have added
		if after[i] != before[i] {
			t.Errorf("a query answers %s, before %s", after[i], before[i])
		}
	}
}

// A rename that passes while the lists are gone by which it finds its rows has missed them;
// once the lists are built anew those are right.
func testRebuildAfterRename(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	for _, table := range []blog.Table{blog.PostsByAuthor, blog.CommentsByAuthor, blog.LikesByUser} {
		u := newSmall(t, store).user
		must(t, store.Settle(t.Context()))
		testkeyspace.Execute(t, config, "TRUNCATE %s."+string(table))
		_, err := store.UpdateUser(t.Context(), blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(fmt.Sprintf("%.20s_later", u.Username))})
		must(t, err)
		must(t, store.Settle(t.Context()))
		_, err = audit.Rebuilding{Await: audit.AtRest}.Run(t.Context(), store, table)
		must(t, err)
		wantDrift(t, string(table)+" rebuilt after a rename", verified(t, store, audit.Verifying{}), nil)
	}
}

// A table that was dropped is made again. A rebuild that was stopped goes on.
func testRebuildResumes(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	for range 30 {
		testkeyspace.NewPost(t, store, testkeyspace.NewUser(t, store))
	}
	must(t, store.Settle(t.Context()))
	testkeyspace.Execute(t, config, "DROP TABLE %s.posts_by_author")
	errStop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	first, err := audit.Rebuilding{Await: audit.AtRest, Verifying: audit.Verifying{Concurrency: 1, Progress: &until{rows: 20, reached: func() { cancel(errStop) }}}}.Run(ctx, store, blog.PostsByAuthor)
	if err == nil {
		t.Fatal("a rebuild that was stopped reports success")
	}
	built, err := audit.Rebuilding{Await: audit.AtRest, Verifying: audit.Verifying{Concurrency: 1}}.Run(t.Context(), store, blog.PostsByAuthor)
	must(t, err)
	if first.Rows == 0 || first.Rows+built.Rows != 30 {
		t.Errorf("%d rows were written by the first run and %d by the second, want each of 30 once", first.Rows, built.Rows)
	}
	wantDrift(t, "resumed", verified(t, store, audit.Verifying{}), nil)
	again, err := audit.Rebuilding{Await: audit.AtRest}.Run(t.Context(), store, blog.PostsByAuthor)
	must(t, err)
	if again.Rows != 30 {
		t.Errorf("a rebuild after one that ended wrote %d rows, want all 30", again.Rows)
	}
	if _, err := (audit.Rebuilding{}).Run(t.Context(), store, blog.PostsByID); blog.KindOf(err) != blog.Invalid {
		t.Errorf("a rebuild of truths: %v", err)
	}
}

// until calls a function when so many rows were read.
type until struct {
	rows    int64
	reached func()
	read    atomic.Int64
}

func (u *until) Add(n int) error {
	if u.read.Add(int64(n)) == u.rows {
		u.reached()
	}
	return nil
}
