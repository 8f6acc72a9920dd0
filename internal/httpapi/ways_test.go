package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/changes"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/graphqlws"
)

// A way to have work done: a kind of operation, by a transport. Each has the selection %[2]s on the post
// %[1]s answered. A new kind, or a new transport, has its line here.
var ways = []struct {
	kind      ast.Operation
	text      string
	transport string
}{
	{ast.Query, askPost, "http"},
	{ast.Query, askPost, "websocket"},
	{ast.Query, askPost, "sse"},
	{ast.Mutation, editPost, "http"},
	{ast.Mutation, editPost, "websocket"},
	{ast.Mutation, editPost, "sse"},
	{ast.Subscription, followPost, "websocket"},
	{ast.Subscription, followPost, "sse"},
}

const (
	askPost    = `query { post(id: "%[1]s") { %[2]s } }`
	editPost   = `mutation { updatePost(input: {id: "%[1]s", title: "T"}) { post { %[2]s } } }`
	followPost = `subscription { postChanged(id: "%[1]s") { post { %[2]s } } }`
)

const (
	aPage     = "comments(first: 100) { edges { node { content } } }"
	pageBytes = 100 * 4000
	pageUnits = pageBytes / 4096
)

// longPages is a store whose pages of comments are long, and may be told to wait, or to fail.
type longPages struct {
	blog.Store
	mu   sync.Mutex
	wait func(context.Context) error
}

func (s *longPages) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (page blog.CommentPage, err error) {
	s.mu.Lock()
	wait := s.wait
	s.mu.Unlock()
	if wait != nil {
		if err := wait(ctx); err != nil {
			return page, err
		}
	}
	for range q.Page.Limit {
		page.Items = append(page.Items, blog.Comment{Post: q.Post, Content: strings.Repeat("c", 4000)})
	}
	return page, nil
}

// let has pages wait from now on; nil: for nothing.
func (s *longPages) let(wait func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait = wait
}

// working serves long pages, and a post of alice's.
func longPagesOf(t *testing.T, change func(*httpapi.Config)) (liveServer, *longPages, string) {
	t.Helper()
	c := httpapi.Config{Limits: httpapi.DefaultLimits, InProcess: true}
	c.Limits.WorkRate = 200
	change(&c)
	s := live(t, c)
	pages := &longPages{Store: memory(t, s.Observer())}
	s.Serve(pages)
	return s, pages, s.post(t, "T")
}

// ask has a way's text answered for alice, and returns the whole of its first answer.
func (s liveServer) ask(t *testing.T, transport, text string) (status int, body string) {
	t.Helper()
	switch transport {
	case "websocket":
		c := s.connect(t, `{"Authorization":"Bearer alice"}`)
		defer c.Close()
		c.subscribe("1", text)
		for {
			if m := c.next(); m.Type != "ping" {
				return http.StatusOK, string(m.Payload)
			}
		}
	case "sse":
		e := s.events(t, text, http.Header{"Authorization": {"Bearer alice"}})
		defer e.response.Body.Close()
		e.lines.Buffer(nil, 4<<20)
		return e.response.StatusCode, e.next(t).data
	default:
		got := s.query(t, text, "Authorization", "Bearer alice")
		return got.status, got.body
	}
}

// spent returns how much less alice has left of her budget than it holds.
func (s liveServer) spent(t *testing.T) int {
	t.Helper()
	got := s.query(t, "{__typename}", "Authorization", "Bearer alice", "Accept", "application/json")
	left := 0
	if _, err := fmt.Sscanf(got.header.Get("RateLimit"), `"work";r=%d;`, &left); err != nil {
		t.Fatal(err, got.header)
	}
	return 1000 - left
}

func eachWay(t *testing.T, f func(t *testing.T, kind ast.Operation, transport, text string)) {
	for _, way := range ways {
		t.Run(string(way.kind)+" by "+way.transport, func(t *testing.T) {
			t.Parallel()
			f(t, way.kind, way.transport, way.text)
		})
	}
}

// Each kind of operation that there is, is a way by each transport that it may come by.
func TestEveryWayIsListed(t *testing.T) {
	t.Parallel()
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for kind, of := range map[ast.Operation]struct {
		root       *ast.Definition
		transports []string
	}{
		ast.Query:        {schema.Query, []string{"http", "websocket", "sse"}},
		ast.Mutation:     {schema.Mutation, []string{"http", "websocket", "sse"}},
		ast.Subscription: {schema.Subscription, []string{"websocket", "sse"}},
	} {
		for _, transport := range of.transports {
			listed := of.root == nil
			for _, way := range ways {
				listed = listed || way.kind == kind && way.transport == transport
			}
			if !listed {
				t.Errorf("%s by %s", kind, transport)
			}
		}
	}
}

// What is written is paid by whom it is for.
func TestEveryWayIsPaid(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, _ ast.Operation, transport, text string) {
		s, _, post := longPagesOf(t, func(*httpapi.Config) {})
		before := s.spent(t)
		if _, body := s.ask(t, transport, fmt.Sprintf(text, post, aPage)); len(body) < pageBytes {
			t.Fatalf("%.300s", body)
		}
		if units := s.spent(t) - before; units < pageUnits*2/3 || units > 3*pageUnits {
			t.Errorf("%d bytes were paid with %d units", pageBytes, units)
		}
	})
}

// What is read and not written is paid, too.
func TestEveryWayPaysForWhatItReads(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, _ ast.Operation, transport, text string) {
		s, _, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits.Cost = 0 })
		var pages strings.Builder
		for i := range 30 {
			fmt.Fprintf(&pages, "p%d: comments(first: 100) { edges { cursor } } ", i)
		}
		before := s.spent(t)
		s.ask(t, transport, fmt.Sprintf(text, post, pages.String()))
		if units := s.spent(t) - before; units < 30*pageUnits/16 {
			t.Errorf("%d bytes that were read were paid with %d units", 30*pageBytes, units)
		}
	})
}

// A way is closed where there is no room for its answer. A mutation's answer says that it was executed.
func TestEveryWayIsBounded(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, kind ast.Operation, transport, text string) {
		s, _, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits.Answer = pageBytes / 2 })
		status, body := s.ask(t, transport, fmt.Sprintf(text, post, aPage))
		if status != http.StatusOK || !strings.Contains(body, "QUERY_TOO_COMPLEX") || len(body) > 1000 {
			t.Errorf("%d %.500s", status, body)
		}
		if executed := strings.Contains(body, `"executed":true`); executed != (kind == ast.Mutation) {
			t.Errorf("%.500s", body)
		}
	})
}

// A way ends with the deadline, whatever it waits for then.
func TestEveryWayHasADeadline(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, _ ast.Operation, transport, text string) {
		s, pages, post := longPagesOf(t, func(c *httpapi.Config) { c.RequestTimeout = 100 * time.Millisecond })
		pages.let(func(ctx context.Context) error {
			<-ctx.Done()
			return &blog.Error{Kind: blog.Timeout, Err: ctx.Err()}
		})
		if _, body := s.ask(t, transport, fmt.Sprintf(text, post, aPage)); !strings.Contains(body, "TIMEOUT") {
			t.Errorf("%.500s", body)
		}
	})
}

// Of a client's large answers one is made after the other, whatever asks for them.
func TestEveryWayIsInTurns(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, _ ast.Operation, transport, text string) {
		s, pages, post := longPagesOf(t, func(*httpapi.Config) {})
		var mu sync.Mutex
		making, most := 0, 0
		pages.let(func(context.Context) error { // it is made in a turn: a read is work here
			mu.Lock()
			making++
			most = max(most, making)
			mu.Unlock()
			for range 1000 {
				runtime.Gosched()
			}
			mu.Lock()
			making--
			mu.Unlock()
			return nil
		})
		// Of 60 partitions, which is much.
		var pagesOf strings.Builder
		for i := range 30 {
			fmt.Fprintf(&pagesOf, "p%d: comments(first: 2) { edges { node { content } } } ", i)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { s.ask(t, transport, fmt.Sprintf(text, post, pagesOf.String())) })
		}
		all.Wait()
		if most > max((runtime.GOMAXPROCS(0)-1)/2, 1) {
			t.Errorf("%d at a time", most)
		}
	})
}

// What comes over a WebSocket is paid, whatever it is; and a client that can't pay is not listened to.
func TestMessagesThatAskNothingArePaid(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"small":  `{"type":"ping"}`,
		"large":  `{"type":"ping","payload":{"a":"` + strings.Repeat("x", 400<<10) + `"}}`,
		"pong":   `{"type":"pong","payload":{"a":[` + strings.Repeat("0,", 200<<10) + `0]}}`,
		"no one": `{"type":"complete","id":"x","a":"` + strings.Repeat("x", 400<<10) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, _ := longPagesOf(t, func(*httpapi.Config) {})
			c := s.connect(t, `{"Authorization":"Bearer alice"}`)
			answered := make(chan error)
			go func() {
				for {
					if _, _, err := c.ReadMessage(); err != nil {
						answered <- err
						return
					}
				}
			}()
			var err error
			sent := 0
			for ; err == nil && sent < 100_000; sent++ { // until the server closes
				err = c.WriteMessage(websocket.TextMessage, []byte(text))
			}
			if why := <-answered; !websocket.IsCloseError(why, websocket.CloseTryAgainLater) {
				t.Errorf("after %d messages: %v", sent, why)
			}
			if left := s.spent(t); left < 1000 {
				t.Errorf("%d messages were paid with %d units", sent, left)
			}
		})
	}
}

// connection_init has as many values as a request.
func TestAnInitialisationHasFewValues(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{})
	c, _, err := s.dial(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.send(`{"type":"connection_init","payload":{"a":[` + strings.Repeat("0,", 100_000) + `0]}}`)
	c.wantClose(graphqlws.CodeForbidden)
}

// An event that reads much and says little is paid by what it reads.
func TestAnEventPaysItsPartitions(t *testing.T) {
	t.Parallel()
	s, _, post := longPagesOf(t, func(*httpapi.Config) {})
	var pages strings.Builder
	for i := range 30 {
		fmt.Fprintf(&pages, "p%d: comments(first: 1) { edges { cursor } } ", i)
	}
	const partitions = 60
	before := s.spent(t)
	if _, body := s.ask(t, "sse", fmt.Sprintf(followPost, post, pages.String())); !strings.Contains(body, "cursor") {
		t.Fatal(body)
	}
	if units := s.spent(t) - before; units < 2*partitions-20 { // it begins, and tells one; some comes back meanwhile
		t.Errorf("%d units", units)
	}
}

// What a stream reads of the feed that its client has missed is paid.
func TestAStreamThatIsBehindPays(t *testing.T) {
	t.Parallel()
	s, pages, _ := longPagesOf(t, func(*httpapi.Config) {})
	author, err := pages.UserByUsername(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 { // of which the hub reads the last thousand or so, when it begins
		if _, err := pages.CreatePost(t.Context(), blog.CreatePost{Author: author.ID, Title: "T", Content: "C"}); err != nil {
			t.Fatal(err)
		}
	}
	before := s.spent(t)
	if _, body := s.ask(t, "websocket", `subscription { postCreated(after: "P`+changes.Cursor{}.String()+`") { cursor } }`); !strings.Contains(body, "cursor") {
		t.Fatal(body)
	}
	if units := s.spent(t) - before; units < 15 {
		t.Errorf("%d units", units)
	}
}
