package resolvers_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/client"
	"broadsheet/resolvers"
)

// asking is the context of a client's operation that may read so many partitions.
func asking(ctx context.Context, of *client.Client, cost int) context.Context {
	return resolvers.WithAsker(ctx, &resolvers.Asker{Cost: cost, Work: client.Budget{Client: of}})
}

// someone returns a client.
func someone() *client.Client { return client.New(0, 0).Of(client.Key{}) }

// All operations of a client that may read many partitions have few reads at the same time together, whatever their
// shape; one that reads few does not wait for them, nor does one whose reads are this process's work.
func TestLargeOperationsOfAClientHaveFewReadsAtATime(t *testing.T) {
	const posts = 20
	few := max(runtime.GOMAXPROCS(0), 2)
	const lists = `{ feed(first: 20) { edges { node { comments { edges { node { id } } } } } } }`
	const users = `{ feed(first: 20) { edges { node { author { bio } } } } }`
	for name, c := range map[string]struct {
		costs     []int // of the operations, which come at once
		query     string
		inProcess bool
		reads     int
		most      int
	}{
		"one that reads few":            {[]int{49}, lists, false, posts, posts},
		"one that reads many":           {[]int{50}, lists, false, posts, min(few, posts)},
		"three that read many":          {[]int{50, 500, 50}, lists, false, 3 * posts, min(few, 3*posts)},
		"one of many beside one of few": {[]int{50, 49}, lists, false, 2 * posts, min(few, posts) + posts},
		"what rows ask for":             {[]int{50}, users, false, 3, min(few, 3)},
		"of this process, which works":  {[]int{50}, lists, true, posts, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStub(t)
				var reads gauge
				s.commentsByPost = func() (blog.CommentPage, error) {
					reads.during(time.Second)
					return blog.CommentPage{}, nil
				}
				s.userByID = func(ctx context.Context, id blog.UserID) (blog.User, error) {
					reads.during(time.Second)
					return s.Store.UserByID(ctx, id)
				}
				a := attached(graph.NewPlannedSchema, s, &s.log, client.NewAnswers(0, 0), newHub(s), resolvers.Config{InProcess: c.inProcess})
				one := someone()
				var all sync.WaitGroup
				for _, cost := range c.costs {
					all.Go(func() { s.wantErrors(a.query(asking(t.Context(), one, cost), c.query)) })
				}
				all.Wait()
				if reads.most != c.most || reads.all != c.reads {
					t.Errorf("%d of %d were read at a time, want %d of %d", reads.most, reads.all, c.most, c.reads)
				}
			})
		})
	}
}

// Of a list's rows a large operation begins no more than can be read while as many are written, for what was read is held
// until it is written.
func TestLargeOperationsBeginFewRowsOfAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const posts = 20
		s := newStub(t)
		stuck := make(chan struct{})
		var begun atomic.Int64
		s.commentsByPost = func() (blog.CommentPage, error) { begun.Add(1); <-stuck; return blog.CommentPage{}, nil }
		a := newAPI(s, &s.log)
		var all sync.WaitGroup
		all.Go(func() {
			s.wantErrors(a.query(asking(t.Context(), &client.Client{}, 50), `{ feed(first: 20) { edges { node { comments { edges { node { id } } } } } } }`))
		})
		synctest.Wait()
		if got, want := int(begun.Load()), min(2*max(runtime.GOMAXPROCS(0), 2), posts); got != want {
			t.Errorf("%d rows of %d were begun, want %d", got, posts, want)
		}
		close(stuck)
		all.Wait()
	})
}

// A client's large operations, of which there are many that wait for their reads, take nothing that another
// client's wait for: neither its reads, nor the room for comments that are being read.
func TestWhatWaitsForItsReadsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		stuck := make(chan struct{})
		s.commentsByPost = func() (blog.CommentPage, error) { <-stuck; return blog.CommentPage{}, nil }
		a := newAPI(s, &s.log)
		one, other := someone(), someone()
		ask := func(ctx context.Context, of *client.Client, query string) bool {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return len(a.query(asking(ctx, of, 50), s.names.expand(t, query)).Errors) == 0
		}
		const feed, comments = `{ feed { edges { node { id } } } }`, `{ user(username: "alice") { comments(first: 100) { edges { node { id } } } } }`
		var all sync.WaitGroup
		var lists strings.Builder
		for i := range 10 {
			fmt.Fprintf(&lists, `c%d: comments(postId: "<post:p03>", first: 100) { totalCount } `, i)
		}
		for range 10 { // 10,000 comments
			all.Go(func() {
				s.wantErrors(a.query(asking(t.Context(), one, 50), s.names.expand(t, "{"+lists.String()+"}")))
			})
		}
		synctest.Wait()
		if ask(t.Context(), one, feed) {
			t.Error("a client whose reads are all under way had one more")
		}
		if !ask(t.Context(), other, feed) || !ask(t.Context(), other, comments) {
			t.Error("another client's reads wait")
		}
		close(stuck)
		all.Wait()
		if !ask(t.Context(), one, feed) || !ask(t.Context(), one, comments) {
			t.Error("reads wait when others have ended")
		}
	})
}
