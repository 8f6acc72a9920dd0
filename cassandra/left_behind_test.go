package cassandra_test

import (
	"context"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// A server is held up between a command's intent and its truth for longer than a command takes:
// recovery finds the intent, sees that the truth was not written, and closes it. The server goes
// on, writes the truth, and dies. The copies are written all the same, for it has written its intent once
// more.
func TestCommandThatWasHeldUpIsRecovered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table   blog.Table // of the truth
		command func(ctx context.Context, server *cassandra.Store, u blog.User, p blog.Post)
	}{
		"a change that is counted": {blog.CommentsByPost, func(ctx context.Context, server *cassandra.Store, u blog.User, p blog.Post) {
			_, _, _ = server.CreateComment(ctx, blog.CreateComment{Author: u.ID, Post: p.ID, Content: "late"})
		}},
		"an edit": {blog.PostsByID, func(ctx context.Context, server *cassandra.Store, u blog.User, p blog.Post) {
			_, _ = server.UpdatePost(ctx, blog.UpdatePost{Actor: u.ID, Post: p.ID, Title: blog.SetTo("late")})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := storetest.NewClock(time.Now())
			config := testkeyspace.New(t)
			other := testkeyspace.Open(t, config, blog.Options{Clock: clock})
			u := testkeyspace.NewUser(t, other)
			p := testkeyspace.NewPost(t, other, u)
			must(t, other.Settle(t.Context()))
			recoverLater := func() {
				clock.Advance(time.Minute)
				must(t, recovered(context.WithoutCancel(t.Context()), other))
			}

			b := &breakable{t: t, config: config, options: blog.Options{Clock: clock}}
			b.start()
			attempts := 0
			b.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
				switch {
				case r.Conditional() && r.Writes(string(c.table)):
					if attempts++; attempts == 1 {
						recoverLater()
						return faultproxy.Fail
					}
				case r.Writes(string(blog.PostsByAuthor)): // the first of the copies
					return faultproxy.DieBefore
				}
				return faultproxy.None
			})
			b.dies(func(server *cassandra.Store) { c.command(t.Context(), server, u, p) })
			recoverLater()
			if found := testkeyspace.Drifted(t, other); len(found) > 0 {
				t.Errorf("drift in %v", found)
			}
			if open := testkeyspace.Undone(t, config); open > 0 {
				t.Errorf("%d entries are undone", open)
			}
		})
	}
}

// dies runs a command in which the server dies, and ends the server.
func (b *breakable) dies(command func(server *cassandra.Store)) {
	b.t.Helper()
	server, returned := b.server, make(chan struct{})
	go func() { command(server); close(returned) }()
	select {
	case <-b.proxy.Died():
	case <-returned:
	}
	b.bury()
	<-returned
}

// A server whose clock is behind, which is not known yet, writes its intent where recovery has
// been already, and dies. Recovery passes there once more an hour later.
func TestIntentThatRecoveryHasPassed(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock(time.Now())
	config := testkeyspace.New(t)
	healer := testkeyspace.Open(t, config, blog.Options{Clock: clock})
	must(t, recovered(t.Context(), healer))
	clock.Advance(5 * time.Minute)
	must(t, recovered(t.Context(), healer))

	behind := testkeyspace.Open(t, config, blog.Options{Clock: storetest.NewClock(clock.Now().Add(-2 * time.Minute))})
	user := testkeyspace.NewUser(t, behind)
	must(t, behind.Settle(t.Context()))
	undo(t, config)
	testkeyspace.Execute(t, config, "TRUNCATE %s.users_by_username")
	must(t, recovered(t.Context(), healer))
	if _, err := healer.UserByUsername(t.Context(), user.Username); !blog.IsNotFound(err) {
		t.Fatalf("recovery has not passed there: %v", err)
	}
	clock.Advance(time.Hour)
	must(t, recovered(t.Context(), healer))
	if found := testkeyspace.Drifted(t, healer); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}

// A like that was taken back is given again by a server that dies before it has written any copy:
// the name beside it is not hidden by the row's deletion.
func TestLikeGivenAgainIsRecovered(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	other := testkeyspace.Open(t, config, blog.Options{})
	u := testkeyspace.NewUser(t, other)
	p := testkeyspace.NewPost(t, other, u)
	_, _, err := other.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: p.ID})
	must(t, err)
	_, err = other.UnlikePost(t.Context(), blog.UnlikePost{Actor: u.ID, Post: p.ID})
	must(t, err)
	must(t, other.Settle(t.Context()))
	b := &breakable{t: t, config: config}
	b.start()
	b.proxy.Strike(1, faultproxy.DieBefore, func(r faultproxy.Request) bool { return r.Writes("likes_by_post") })
	b.dies(func(server *cassandra.Store) {
		_, _, _ = server.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: p.ID})
	})
	healer := longAgo(t, config, time.Minute)
	must(t, recovered(t.Context(), healer))
	if found := testkeyspace.Drifted(t, healer); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}
