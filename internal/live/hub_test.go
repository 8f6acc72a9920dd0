package live_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/changes"
	"broadsheet/internal/live"
)

func ok[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// inBubble runs a test in a bubble of synctest, in which time is the test's own, and which fails
// where a goroutine is left.
//
// What runs in a bubble waits for no timer whose time has come already: goroutines that do so at once
// break the race detector of Go 1.26 (https://go.dev/issue/78156).
func inBubble(t *testing.T, test func(t *testing.T, ctx context.Context)) {
	synctest.Test(t, func(t *testing.T) { test(t, t.Context()) })
}

// What a server does is told at once, what others do within a second, and each of it once.
func TestPostsAreToldAsTheyAreCreated(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(2)
		here, there := w.server(0), w.server(1)
		here.post(0)
		posts := ok(here.hub(t, live.Config{}).Posts(ctx, blog.PostCreated, nil))(t)
		began := time.Now()
		own := here.post(0)
		e := ok(posts.Next(ctx))(t)
		if read := ok(e.ReadPost(ctx))(t); read.ID != own.ID || time.Since(began) > 0 {
			t.Errorf("%v is told after %s", read, time.Since(began))
		}
		other := there.post(300 * time.Millisecond)
		e = ok(posts.Next(ctx))(t)
		if read := ok(e.ReadPost(ctx))(t); read.ID != other.ID || time.Since(began) > time.Second {
			t.Errorf("%v is told after %s", read, time.Since(began))
		}
		short, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if _, err := posts.Next(short); err != context.DeadlineExceeded {
			t.Errorf("a third event: %v", err)
		}
	})
}

// However many subscribers there are, the store is asked what it is asked for one; and without
// writers always as much in a second.
func TestSubscribersCostWhatOneCosts(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(3)
		here := w.server(0)
		p := here.post(0)
		hub := here.hub(t, live.Config{})
		costs := func(subscribers int) (event, minute map[string]int) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			told := make(chan bool)
			for range subscribers {
				posts := ok(hub.Posts(ctx, blog.PostCreated, nil))(t)
				comments := ok(hub.CommentsCreated(ctx, p.ID, nil))(t)
				states := ok(hub.PostChanges(ctx, p.ID))(t)
				ok(states.Next(ctx))(t)
				go func() {
					e, err := posts.Next(ctx)
					if err == nil {
						_, err = e.ReadPost(ctx)
					}
					told <- err == nil
					c, err := comments.Next(ctx)
					if err == nil {
						_, err = c.ReadComment(ctx)
					}
					if err == nil {
						_, err = c.ReadPost(ctx)
					}
					told <- err == nil
					_, err = states.Next(ctx)
					told <- err == nil
				}()
			}
			synctest.Wait()
			w.take()
			here.post(0)
			_, _, tell := here.comment(p.ID)
			tell(here, 0)
			for range 3 * subscribers {
				if !<-told {
					t.Error("an event is not told")
				}
			}
			event = w.take()
			time.Sleep(time.Minute)
			return event, w.take()
		}
		event, minute := costs(1)
		if want := map[string]int{"PostByID": 3, "CommentByKey": 1}; !maps.Equal(event, want) {
			t.Errorf("events cost %v, want %v", event, want)
		}
		if want := map[string]int{"ChangeLogs": 120, "ChangesAfter": 360}; !maps.Equal(minute, want) {
			t.Errorf("a minute costs %v, want %v", minute, want)
		}
		manyEvent, manyMinute := costs(1000)
		if !maps.Equal(event, manyEvent) || !maps.Equal(minute, manyMinute) {
			t.Errorf("for a thousand events cost %v and a minute %v, for one %v and %v", manyEvent, manyMinute, event, minute)
		}
	})
}

// Where nothing is used for a while the store is asked nothing, and the hub begins again.
func TestTheHubRunsWhileItIsUsed(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		hub := here.hub(t, live.Config{})
		one, cancel := context.WithCancel(ctx)
		posts := ok(hub.Posts(one, blog.PostCreated, nil))(t)
		time.Sleep(time.Hour)
		here.post(0)
		e := ok(posts.Next(one))(t)
		cancel()
		time.Sleep(2 * time.Minute)
		w.take()
		late := here.post(0)
		time.Sleep(time.Hour)
		if calls := w.take(); len(calls) > 0 || len(here.watchers) > 0 {
			t.Errorf("unused it asks %v and watches by %d", calls, len(here.watchers))
		}
		posts = ok(hub.Posts(ctx, blog.PostCreated, &e.Cursor))(t)
		if missed := ok(ok(posts.Next(ctx))(t).ReadPost(ctx))(t); missed.ID != late.ID {
			t.Error("what was created while it did not run is lost")
		}
		w.take()
		ok(hub.Position(ctx))(t)
		if calls := w.take(); len(calls) > 0 {
			t.Errorf("a position costs %v", calls)
		}
	})
}

// A stream that is not taken from is cut, holds back none, and goes on from its cursor.
func TestSlowSubscribersAreCut(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		hub := here.hub(t, live.Config{Window: 100, Backlog: 10})
		slow, fast := ok(hub.Posts(ctx, blog.PostCreated, nil))(t), ok(hub.Posts(ctx, blog.PostCreated, nil))(t)
		var all []blog.PostID
		make := func() {
			all = append(all, here.post(0).ID)
			if got := ok(ok(fast.Next(ctx))(t).ReadPost(ctx))(t); got.ID != all[len(all)-1] {
				t.Fatal("the fast one has another")
			}
		}
		make()
		e := ok(slow.Next(ctx))(t)
		for range 500 {
			make()
		}
		if _, err := slow.Next(ctx); !errors.Is(err, live.ErrSlow) {
			t.Fatalf("the slow one has %v", err)
		}
		slow = ok(hub.Posts(ctx, blog.PostCreated, &e.Cursor))(t)
		for i, want := range all[1:] {
			if got := ok(ok(slow.Next(ctx))(t).ReadPost(ctx))(t); got.ID != want {
				t.Fatalf("resumed it has another %d. one", i)
			}
		}
	})
}

// A comment whose predecessor is not told of waits for it; not for ever.
func TestCommentsWaitForTheirPredecessors(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(2)
		here, there := w.server(0), w.server(1)
		p := here.post(0)
		hub := here.hub(t, live.Config{Patience: 3 * time.Minute})
		comments := ok(hub.CommentsCreated(ctx, p.ID, nil))(t)
		var ids []blog.CommentID
		var tells []func(*server, time.Duration)
		for range 3 {
			id, _, tell := here.comment(p.ID)
			ids, tells = append(ids, id), append(tells, tell)
		}
		tells[2](here, 0)
		tells[1](there, 0)
		time.AfterFunc(2*time.Minute, func() { tells[0](there, 0) })
		began := time.Now()
		for _, want := range ids {
			e := ok(comments.Next(ctx))(t)
			if got := ok(e.ReadComment(ctx))(t); got.ID != want || time.Since(began) < 2*time.Minute {
				t.Errorf("%v is told after %s, want %v", got.ID, time.Since(began), want)
			}
		}
		here.comment(p.ID) // is never told of
		_, _, tell := here.comment(p.ID)
		tell(here, 0)
		began = time.Now()
		if _, err := comments.Next(ctx); blog.KindOf(err) != blog.Expired || time.Since(began) != 3*time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

// The comments of a post that is no more are complete.
func TestCommentsEndWithTheirPost(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		p := here.post(0)
		hub := here.hub(t, live.Config{})
		comments := ok(hub.CommentsCreated(ctx, p.ID, nil))(t)
		_, _, tell := here.comment(p.ID)
		tell(here, 0)
		delete(here.posts, p.ID)
		here.tell(blog.Change{Kind: blog.PostDeleted, Post: p.ID}, 0)
		e := ok(comments.Next(ctx))(t)
		if post := ok(e.ReadPost(ctx))(t); post != nil {
			t.Error("the event has the post that is no more")
		}
		if _, err := comments.Next(ctx); err != io.EOF {
			t.Error(err)
		}
		again := ok(hub.CommentsCreated(ctx, p.ID, &e.Cursor))(t)
		if _, err := again.Next(ctx); err != io.EOF {
			t.Error(err)
		}
		never := ok(hub.CommentsCreated(ctx, p.ID, nil))(t)
		if _, err := never.Next(ctx); err != io.EOF {
			t.Error(err)
		}
	})
}

// A post's state is told at once, then at most ten times a second, and the last one always.
func TestStatesOfAPost(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(2)
		here, there := w.server(0), w.server(1)
		p := here.post(0)
		hub := here.hub(t, live.Config{})
		states := ok(hub.PostChanges(ctx, p.ID))(t)
		if e := ok(states.Next(ctx))(t); e.Post.Comments.N != 0 {
			t.Errorf("%+v", e)
		}
		here.tell(blog.Change{Kind: blog.PostBookmarked, Actor: p.Author.ID, Post: p.ID}, 0)
		brief, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if e, err := states.Next(brief); err == nil {
			t.Errorf("a bookmark is seen: %+v", e)
		}
		began, told, n := time.Now(), 0, 0
		w.take()
		go func() {
			for range 200 {
				_, _, tell := here.comment(p.ID)
				tell(here, 0)
				time.Sleep(10 * time.Millisecond)
			}
		}()
		for n < 200 {
			n = ok(states.Next(ctx))(t).Post.Comments.N
			told++
		}
		if took := time.Since(began); told > 1+int(took/(100*time.Millisecond)) || took > 3*time.Second {
			t.Errorf("%d states in %s", told, took)
		}
		if reads := w.take()["PostByID"]; reads != told {
			t.Errorf("%d reads for %d states", reads, told)
		}

		there.users[p.Author.ID] = blog.User{ID: p.Author.ID, Username: "renamed"}
		there.tell(blog.Change{Kind: blog.UserUpdated, Actor: p.Author.ID}, 0)
		if e := ok(states.Next(ctx))(t); e.Post.Author.Username != "renamed" {
			t.Errorf("after a rename %+v", e.Post)
		}
		if e := ok(ok(hub.PostChanges(ctx, p.ID))(t).Next(ctx))(t); e.Post.Author.Username != "renamed" {
			t.Errorf("one that begins after a rename has %+v", e.Post)
		}

		delete(here.posts, p.ID)
		here.tell(blog.Change{Kind: blog.PostDeleted, Post: p.ID}, 0)
		if e := ok(states.Next(ctx))(t); e.Post != nil || *e.DeletedID != p.ID {
			t.Errorf("%+v", e)
		}
		if _, err := states.Next(ctx); err != io.EOF {
			t.Error(err)
		}
		never := ok(hub.PostChanges(ctx, p.ID))(t)
		if e := ok(never.Next(ctx))(t); e.Post != nil || *e.DeletedID != p.ID {
			t.Errorf("%+v", e)
		}
	})
}

// What is read for an event is read again once it has changed.
func TestEventsTellWhatIsThereNow(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		hub := here.hub(t, live.Config{})
		posts := ok(hub.Posts(ctx, blog.PostCreated, nil))(t)
		p := here.post(0)
		e := ok(posts.Next(ctx))(t)
		if got := ok(e.ReadPost(ctx))(t); got == nil {
			t.Fatal("no post")
		}
		delete(here.posts, p.ID)
		here.tell(blog.Change{Kind: blog.PostDeleted, Post: p.ID}, 0)
		if got := ok(e.ReadPost(ctx))(t); got != nil {
			t.Error("the post is shown though it was deleted")
		}
	})
}

// What was read for an event does not answer for one that the hub has not met yet, and is not held for long.
func TestWhatWasReadIsForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(2)
		here, there := w.server(0), w.server(1)
		hub := here.hub(t, live.Config{Window: 2, Backlog: 1})
		old := ok(hub.Position(ctx))(t).OfPosts()
		here.post(0)
		p := here.post(0)
		edits := ok(hub.Posts(ctx, blog.PostUpdated, nil))(t)
		here.changePost(blog.PostUpdated, p.ID, 0)
		if got := ok(ok(edits.Next(ctx))(t).ReadPost(ctx))(t); got.Version != 2 {
			t.Errorf("the event has version %d, want 2", got.Version)
		}
		there.changePost(blog.PostUpdated, p.ID, 0)
		behind := ok(hub.Posts(ctx, blog.PostUpdated, &old))(t)
		for range 2 {
			if got := ok(ok(behind.Next(ctx))(t).ReadPost(ctx))(t); got.Version != 3 {
				t.Errorf("a stream that is before the hub has version %d, want 3", got.Version)
			}
		}
		time.Sleep(6 * time.Second)
		edits = ok(hub.Posts(ctx, blog.PostUpdated, nil))(t)
		here.changePost(blog.PostUpdated, p.ID, 0)
		e := ok(edits.Next(ctx))(t)
		ok(e.ReadPost(ctx))(t)
		ok(e.Share(ctx, "a key", func(context.Context) (any, error) { return "an answer", nil }))(t)
		if held := hub.Held(); held[4] != 2 {
			t.Errorf("a post and an answer are held as %d", held[4])
		}
		time.Sleep(6 * time.Second)
		if held := hub.Held(); held[4] != 0 {
			t.Errorf("%d are held for longer than they answer", held[4])
		}
	})
}

// All streams end where the server does, also those that begin then.
func TestStop(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		p := here.post(0)
		hub := here.hub(t, live.Config{})
		posts, comments := ok(hub.Posts(ctx, blog.PostCreated, nil))(t), ok(hub.CommentsCreated(ctx, p.ID, nil))(t)
		states := ok(hub.PostChanges(ctx, p.ID))(t)
		ok(states.Next(ctx))(t)
		time.AfterFunc(time.Second, hub.Stop)
		for name, next := range map[string]func() error{
			"posts":    func() error { _, err := posts.Next(ctx); return err },
			"comments": func() error { _, err := comments.Next(ctx); return err },
			"states":   func() error { _, err := states.Next(ctx); return err },
			"late":     func() error { _, err := hub.Posts(ctx, blog.PostCreated, nil); return err },
		} {
			if name == "late" {
				time.Sleep(2 * time.Second)
			}
			if err := next(); err != live.ErrStopped {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A server whose store is away tells what it does itself, and the rest when the store is back.
func TestTheFeedIsAway(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(2)
		here, there := w.server(0), w.server(1)
		hub := here.hub(t, live.Config{})
		here.away(true)
		if _, err := hub.Posts(ctx, blog.PostCreated, nil); blog.KindOf(err) != blog.Unavailable {
			t.Errorf("it begins with %v", err)
		}
		here.away(false)
		posts := ok(hub.Posts(ctx, blog.PostCreated, nil))(t)
		if at := hub.Progress(); at.Logs != 2 || at.Lag > time.Second {
			t.Errorf("while it follows two servers it says %+v", at)
		}
		here.away(true)
		time.Sleep(time.Minute)
		if at := hub.Progress(); at.Lag < 59*time.Second || at.Lag > 61*time.Second {
			t.Errorf("after a minute without the feed it says %+v", at)
		}
		there.post(0)
		own := here.post(0)
		if got := ok(ok(posts.Next(ctx))(t).ReadPost(ctx))(t); got.ID != own.ID {
			t.Error("not its own")
		}
		time.AfterFunc(time.Minute, func() { here.away(false) })
		ok(posts.Next(ctx))(t)
	})
}

// Streams of a post's states that began at other moments share what is read: all are told as often as
// one, and the post is read as often as for one.
func TestStatesOutOfPhaseShareReads(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		p := here.post(0)
		hub := here.hub(t, live.Config{})
		const streams, changes = 4, 200
		told := make(chan int, streams)
		for range streams {
			states := ok(hub.PostChanges(ctx, p.ID))(t)
			ok(states.Next(ctx))(t)
			go func() {
				n := 0
				for comments := 0; comments < changes; n++ {
					e, err := states.Next(ctx)
					if err != nil {
						t.Error(err)
						break
					}
					comments = e.Post.Comments.N
				}
				told <- n
			}()
			time.Sleep(23 * time.Millisecond)
		}
		w.take()
		for range changes {
			_, _, tell := here.comment(p.ID)
			tell(here, 0)
			time.Sleep(10 * time.Millisecond)
		}
		for range streams {
			if n := <-told; n < 20 || n > 22 {
				t.Errorf("a stream is told of %d states in two seconds, want ten a second", n)
			}
		}
		if reads := w.take()["PostByID"]; reads > 22 {
			t.Errorf("%d reads in two seconds", reads)
		}
	})
}

// A store that can't be read for a while ends no stream of states: the next state is told when it can
// be read again, and one read tells all. Where that takes too long, streams end by an error that has
// clients come again, and one that begins meanwhile is told so at once.
func TestStatesOutliveAPassingFailure(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		p := here.post(0)
		hub := here.hub(t, live.Config{})
		var streams []*live.PostStates
		for range 20 {
			streams = append(streams, ok(hub.PostChanges(ctx, p.ID))(t))
			ok(streams[len(streams)-1].Next(ctx))(t)
		}
		all := func() (told []live.PostChangedEvent, errs []error) {
			told, errs = make([]live.PostChangedEvent, len(streams)), make([]error, len(streams))
			var waiting sync.WaitGroup
			for i, s := range streams {
				waiting.Go(func() { told[i], errs[i] = s.Next(ctx) })
			}
			waiting.Wait()
			return told, errs
		}
		comment := func() {
			_, _, tell := here.comment(p.ID)
			tell(here, 0)
		}

		here.lose(true)
		comment()
		time.AfterFunc(20*time.Second, comment)
		time.AfterFunc(25*time.Second, func() { here.lose(false) })
		w.take()
		began := time.Now()
		told, errs := all()
		for i := range streams {
			if errs[i] != nil || told[i].Post.Comments.N != 2 {
				t.Fatalf("after 25 s without the store: %+v, %v", told[i].Post, errs[i])
			}
		}
		if took := time.Since(began); took > 28*time.Second {
			t.Errorf("the state came after %s", took)
		}
		if reads := w.take()["PostByID"]; reads > 20 {
			t.Errorf("%d reads while the store was away", reads)
		}

		here.lose(true)
		comment()
		began = time.Now()
		if _, errs = all(); slices.ContainsFunc(errs, func(err error) bool { return blog.KindOf(err) != blog.Unavailable }) {
			t.Errorf("without the store they end with %v", errs)
		}
		if took := time.Since(began); took < 30*time.Second {
			t.Errorf("they end after %s", took)
		}
		if _, err := ok(hub.PostChanges(ctx, p.ID))(t).Next(ctx); blog.KindOf(err) != blog.Unavailable {
			t.Errorf("one that begins is told %v", err)
		}
		here.lose(false)
		if e := ok(ok(hub.PostChanges(ctx, p.ID))(t).Next(ctx))(t); e.Post.Comments.N != 3 {
			t.Errorf("one that comes again is told %+v", e.Post)
		}
	})
}

// What is kept no more ends streams, and is refused.
func TestExpiry(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(2)
		here, there := w.server(0), w.server(1)
		here.post(0)
		there.post(0)
		hub := here.hub(t, live.Config{Window: 1, Backlog: 1})
		posts := ok(hub.Posts(ctx, blog.PostCreated, nil))(t)
		here.post(0)
		first := ok(posts.Next(ctx))(t).Cursor
		for range 10 {
			there.post(0)
			here.post(0)
		}
		there.own.gone = 5
		stale := ok(hub.Posts(ctx, blog.PostCreated, &first))(t)
		if _, err := stale.Next(ctx); blog.KindOf(err) != blog.Expired {
			t.Errorf("a cursor that is too old: %v", err)
		}
	})
}

// What a server told that began after a cursor, and is long over, is read for it, though no cursor of now names its log.
func TestALogThatIsLongOver(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(2)
		here, there := w.server(0), w.server(1)
		w.logs = w.logs[:1] // the other has not begun
		here.post(0)
		hub := here.hub(t, live.Config{})
		after := ok(hub.Position(ctx))(t).OfPosts()
		hub.Stop()
		w.logs = append(w.logs, there.own)
		want := []blog.PostID{there.post(0).ID, there.post(0).ID}
		there.own.over = time.Now()
		time.Sleep(2 * time.Hour)
		again := here.hub(t, live.Config{})
		ok(again.Posts(ctx, blog.PostCreated, nil))(t) // it has begun
		begun, end := context.WithTimeout(ctx, time.Minute)
		defer end()
		stream := ok(again.Posts(begun, blog.PostCreated, &after))(t)
		for _, id := range want {
			if post := ok(ok(stream.Next(begun))(t).ReadPost(begun))(t); post == nil || post.ID != id {
				t.Fatalf("%v, not %v", post, id)
			}
		}
	})
}

// A cursor that is ahead of the end of a log, or names one that is none, is refused though all of
// the window lies behind it; and one that is too long is none.
func TestCursorsOfAnotherFeed(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		here.post(0)
		hub := here.hub(t, live.Config{})
		posts := ok(hub.Posts(ctx, blog.PostCreated, nil))(t)
		for range 3 {
			here.post(0)
		}
		ahead := ""
		for range 3 {
			ahead = ok(posts.Next(ctx))(t).Cursor
		}
		hub.Stop()
		back := here.own.changes
		here.own.changes = back[:2] // a backup of before is restored
		restored := here.hub(t, live.Config{})
		unknown := ok(newWorld(2).server(0).hub(t, live.Config{}).Position(ctx))(t).OfPosts()
		now := ok(changes.ParseCursor(ok(restored.Position(ctx))(t).OfPosts()[1:]))(t)
		both := "P" + now.With(ok(changes.ParseCursor(unknown[1:]))(t)).String()
		for name, after := range map[string]string{"ahead": ahead, "of a log that is none": unknown, "of now, and of a log that is none": both} {
			begun, end := context.WithTimeout(ctx, time.Minute)
			stream := ok(restored.Posts(begun, blog.PostCreated, &after))(t)
			if _, err := stream.Next(begun); blog.KindOf(err) != blog.Expired {
				t.Errorf("%s: %v", name, err)
			}
			end()
		}
		long := "P" + strings.Repeat("A", 64<<10+1)
		if _, err := restored.Posts(ctx, blog.PostCreated, &long); blog.KindOf(err) != blog.Invalid {
			t.Errorf("a long one: %v", err)
		}
	})
}

// A cursor is good for the events that it is of.
func TestCursorsOfSomethingElse(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(1)
		here := w.server(0)
		p, other := here.post(0), here.post(0)
		hub := here.hub(t, live.Config{})
		at := ok(hub.Position(ctx))(t)
		ofPosts, ofComments, ofOther := at.OfPosts(), at.OfComments(p.ID, 0), at.OfComments(other.ID, 0)
		ok(hub.Posts(ctx, blog.PostCreated, &ofPosts))(t)
		ok(hub.CommentsCreated(ctx, p.ID, &ofComments))(t)
		none := at.OfNone()
		for _, wrong := range []string{"", "P", "C", "x", ofComments, ofPosts[1:], ofPosts + "A", ofPosts[:len(ofPosts)-1], none} {
			if _, err := hub.Posts(ctx, blog.PostCreated, &wrong); blog.KindOf(err) != blog.Invalid {
				t.Errorf("posts after %q: %v", wrong, err)
			}
		}
		for _, wrong := range []string{"", "P", "C", ".", "C.", ofPosts, ofOther, none, ofComments + "A", strings.Replace(ofComments, ".", "", 1), ofComments[1:]} {
			if _, err := hub.CommentsCreated(ctx, p.ID, &wrong); blog.KindOf(err) != blog.Invalid {
				t.Errorf("comments after %q: %v", wrong, err)
			}
		}
	})
}

// A thousand subscribers that are dropped, wherever they stand, leave nothing.
func TestDroppedSubscribersLeaveNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context) {
		w := newWorld(2)
		here := w.server(0)
		var posts []blog.PostID
		for range 10 {
			posts = append(posts, here.post(0).ID)
		}
		hub := here.hub(t, live.Config{Window: 8, Backlog: 8})
		old := ok(hub.Position(ctx))(t).OfPosts()
		for range 100 {
			here.post(0)
		}
		for i := range 1000 {
			ctx, cancel := context.WithCancel(ctx)
			p := posts[i%len(posts)]
			go func() {
				switch s, err := hub.Posts(ctx, blog.PostCreated, []*string{nil, &old}[i/2%2]); {
				case err == nil:
					for err == nil {
						_, err = s.Next(ctx)
					}
				}
			}()
			go func() {
				s, err := hub.CommentsCreated(ctx, p, nil)
				for err == nil {
					_, err = s.Next(ctx)
				}
			}()
			go func() {
				s, err := hub.PostChanges(ctx, p)
				for err == nil {
					_, err = s.Next(ctx)
				}
			}()
			if i%3 == 0 {
				synctest.Wait()
			}
			cancel()
		}
		synctest.Wait()
		if held := hub.Held(); !slices.Equal(held, []int{0, 0, 0, 0, 0}) {
			t.Errorf("uses, lists, states, authors, what was read for events: %v", held)
		}
	})
}
