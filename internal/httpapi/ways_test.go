package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
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
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/relay"
)

// kinds are those of an operation, in which the selection %[2]s on the post %[1]s is answered; and what a subscription
// does before it has an event.
var kinds = map[string]struct {
	of   ast.Operation
	text string
}{
	"query":    {ast.Query, `query { post(id: "%[1]s") { %[2]s } }`},
	"mutation": {ast.Mutation, `mutation { updatePost(input: {id: "%[1]s", title: "T"}) { post { %[2]s } } }`},
	"event":    {ast.Subscription, followPost},
	"begin":    {ast.Subscription, `subscription { commentCreated(postId: "%[1]s") { cursor } }`},
}

const followPost = `subscription { postChanged(id: "%[1]s") { post { %[2]s } } }`

// bounds are what holds for each kind of operation by each transport.
var bounds = map[string]struct{ answer, begin func(t *testing.T, w way) }{
	"paid":      {answersArePaid, beginningsArePaid},
	"reads":     {readsArePaid, beginningsArePaid},
	"room":      {answersAreBounded, beginningsAreBounded},
	"deadline":  {answersHaveADeadline, beginningsHaveADeadline},
	"in turns":  {answersAreInTurns, beginningsAreInTurns},
	"bystander": {answersLeaveOthers, beginningsLeaveOthers},
}

// way is a kind of operation by a transport.
type way struct {
	kind, transport, text string
}

// transports are those that the package has, by the constants that name them, and HTTP's request and response.
func transports(t *testing.T) []string {
	t.Helper()
	all := []string{"http"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)\btransport[A-Z]\w* += "(\w+)"$`).FindAllSubmatch(text, -1) {
			all = append(all, string(found[1]))
		}
	}
	if len(all) < 3 {
		t.Fatalf("only %v", all)
	}
	return all
}

// Each bound holds for each kind of operation by each transport that there is. One that can't come is refused.
func TestEveryWay(t *testing.T) {
	t.Parallel()
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for operation, root := range map[ast.Operation]*ast.Definition{ast.Query: schema.Query, ast.Mutation: schema.Mutation, ast.Subscription: schema.Subscription} {
		asked := root == nil
		for _, kind := range kinds {
			asked = asked || kind.of == operation
		}
		if !asked {
			t.Errorf("no kind is a %s", operation)
		}
	}
	for _, transport := range transports(t) {
		for name, kind := range kinds {
			w := way{name, transport, kind.text}
			for bound, holds := range bounds {
				t.Run(bound+"/"+name+" by "+transport, func(t *testing.T) {
					t.Parallel()
					switch {
					case kind.of == ast.Subscription && transport == "http":
						s := live(t, httpapi.Config{})
						s.query(t, fmt.Sprintf(kind.text, s.post(t, "T"), "id")).want(http.StatusNotAcceptable, "BAD_REQUEST")
					case name == "begin":
						holds.begin(t, w)
					default:
						holds.answer(t, w)
					}
				})
			}
		}
	}
}

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
	if err := s.waits(ctx); err != nil {
		return page, err
	}
	for range q.Page.Limit {
		page.Items = append(page.Items, blog.Comment{Post: q.Post, Content: strings.Repeat("c", 4000)})
	}
	return page, nil
}

// Changes is the feed, whose long reads wait as pages do.
func (s *longPages) Changes() blog.Changes { return slowFeed{s.Store.Changes(), s} }

type slowFeed struct {
	blog.Changes
	by *longPages
}

func (f slowFeed) ChangesAfter(ctx context.Context, log blog.ChangeLog, number int64, limit int) ([]blog.Change, error) {
	found, err := f.Changes.ChangesAfter(ctx, log, number, limit)
	if len(found) > 100 {
		err = f.by.waits(ctx)
	}
	return found, err
}

// waits is called by what may wait.
func (s *longPages) waits(ctx context.Context) error {
	s.mu.Lock()
	wait := s.wait
	s.mu.Unlock()
	if wait == nil {
		return nil
	}
	return wait(ctx)
}

// let has pages wait from now on; nil: for nothing.
func (s *longPages) let(wait func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait = wait
}

// longPagesOf serves long pages, and a post of alice's, which another server wrote, without these limits.
func longPagesOf(t *testing.T, change func(*httpapi.Config)) (liveServer, *longPages, string) {
	t.Helper()
	c := httpapi.Config{Limits: limit.Default, InProcess: true}
	c.Limits[limit.Work] = workRate
	change(&c)
	s, writer := live(t, c), live(t, httpapi.Config{})
	pages := &longPages{Store: memory(t, s.Observer())}
	s.Serve(pages)
	writer.Serve(pages)
	return s, pages, writer.post(t, "T")
}

// ask has a way's text answered for alice, and returns the whole of its first answer.
func (s liveServer) ask(t *testing.T, transport, text string) (status int, body string) {
	t.Helper()
	return s.askAs(t, "alice", transport, text)
}

func (s liveServer) askAs(t *testing.T, subject, transport, text string) (status int, body string) {
	t.Helper()
	switch transport {
	case "http":
		got := s.query(t, text, "Authorization", "Bearer "+subject)
		return got.status, got.body
	case "websocket":
		c := s.connect(t, `{"Authorization":"Bearer `+subject+`"}`)
		defer c.Close()
		c.subscribe("1", text)
		for {
			if m := c.next(); m.Type != "ping" {
				return http.StatusOK, string(m.Payload)
			}
		}
	case "sse":
		e := s.events(t, text, http.Header{"Authorization": {"Bearer " + subject}})
		defer e.response.Body.Close()
		e.lines.Buffer(nil, 4<<20)
		return e.response.StatusCode, e.next(t).data
	default:
		t.Fatalf("how is an operation asked by %s?", transport)
		return 0, ""
	}
}

// units are what was paid, between two bounds, for some of a budget comes back meanwhile.
type units struct{ least, most int }

const workRate = 200

// paid returns what alice pays for something.
func (s liveServer) paid(t *testing.T, something func()) units {
	t.Helper()
	began, before := time.Now(), s.left(t)
	something()
	least := before - s.left(t)
	return units{least, least + int(workRate*time.Since(began).Seconds()) + 1}
}

// left is what is left of alice's budget.
func (s liveServer) left(t *testing.T) (n int) {
	t.Helper()
	got := s.query(t, "{__typename}", "Authorization", "Bearer alice", "Accept", "application/json")
	if _, err := fmt.Sscanf(got.header.Get("RateLimit"), `"work";r=%d;`, &n); err != nil {
		t.Fatal(err, got.header)
	}
	return n
}

// What is written is paid by the client that it is for.
func answersArePaid(t *testing.T, w way) {
	s, _, post := longPagesOf(t, func(*httpapi.Config) {})
	paid := s.paid(t, func() {
		if _, body := s.ask(t, w.transport, fmt.Sprintf(w.text, post, aPage)); len(body) < pageBytes {
			t.Fatalf("%.300s", body)
		}
	})
	if paid.most < pageUnits || paid.least > 2*pageUnits {
		t.Errorf("%d bytes were paid with %+v units", pageBytes, paid)
	}
}

// What is read and not written is paid, too.
func readsArePaid(t *testing.T, w way) {
	s, _, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits[limit.Cost] = 0 })
	paid := s.paid(t, func() { s.ask(t, w.transport, fmt.Sprintf(w.text, post, manyPages("first: 100", "cursor"))) })
	if paid.most < 30*pageUnits/16 {
		t.Errorf("%d bytes that were read were paid with %+v units", 30*pageBytes, paid)
	}
}

// manyPages selects thirty pages of comments, which is much: sixty partitions.
func manyPages(arguments, below string) string {
	var pages strings.Builder
	for i := range 30 {
		fmt.Fprintf(&pages, "p%d: comments(%s) { edges { %s } } ", i, arguments, below)
	}
	return pages.String()
}

// What a stream reads of the feed that its client has missed is paid.
func beginningsArePaid(t *testing.T, w way) {
	s, pages, post := longPagesOf(t, func(*httpapi.Config) {})
	missed := pages.missed(t, post, 1500)
	paid := s.paid(t, func() {
		if _, body := s.ask(t, w.transport, missed); !strings.Contains(body, "cursor") {
			t.Fatal(body)
		}
	})
	if paid.most < 1500/50 {
		t.Errorf("%+v units", paid)
	}
}

// missed has so many changes follow a subscription's cursor, more than a hub reads when it begins, the last of which
// is its event, and returns the subscription.
func (s *longPages) missed(t *testing.T, post string, n int) (text string) {
	t.Helper()
	from, err := changes.Now(t.Context(), s.Changes(), blog.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n - 1 {
		s.edit(t, post, fmt.Sprint(i))
	}
	if _, err := s.CreatePost(t.Context(), blog.CreatePost{Author: s.alice(t), Title: "T", Content: "C"}); err != nil {
		t.Fatal(err)
	}
	return `subscription { postCreated(after: "P` + from.String() + `") { cursor } }`
}

// edit gives a post of alice's another title.
func (s *longPages) edit(t *testing.T, post, title string) {
	t.Helper()
	id, err := relay.DecodeID[blog.PostID](post)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdatePost(t.Context(), blog.UpdatePost{Actor: s.alice(t), Post: id, Title: blog.SetTo(title)}); err != nil {
		t.Fatal(err)
	}
}

func (s *longPages) alice(t *testing.T) blog.UserID {
	t.Helper()
	u, err := s.UserByUsername(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	return u.ID
}

// A stream whose client can't pay for its events ends, and says with what to go on.
func TestStreamsOfAClientInDebtEnd(t *testing.T) {
	t.Parallel()
	for _, transport := range transports(t)[1:] {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s, pages, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits[limit.Work] = 20 })
			next, text := (func() string)(nil), fmt.Sprintf(followPost, post, aPage)
			switch transport {
			case "websocket":
				c := s.connect(t, `{"Authorization":"Bearer alice"}`)
				c.subscribe("1", text)
				next = func() string { return string(c.next().Payload) }
			case "sse":
				e := s.events(t, text, http.Header{"Authorization": {"Bearer alice"}})
				e.lines.Buffer(nil, 4<<20)
				next = func() string { return e.next(t).data }
			default:
				t.Fatalf("how are events of %s read?", transport)
			}
			events := 0
			for ; !strings.Contains(next(), "SLOW_CONSUMER"); events++ {
				if events == 100 {
					t.Fatal("a hundred events of 400 kB came")
				}
				pages.edit(t, post, fmt.Sprint(events))
			}
			if events == 0 {
				t.Error("no event came")
			}
			if got := s.query(t, "{__typename}", "Authorization", "Bearer alice"); got.status != http.StatusTooManyRequests {
				t.Errorf("after %d events: %d", events, got.status)
			}
		})
	}
}

// A way is closed where there is no room for its answer. A mutation's answer says that it was executed.
func answersAreBounded(t *testing.T, w way) {
	s, _, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits[limit.Answer] = pageBytes / 2 })
	status, body := s.ask(t, w.transport, fmt.Sprintf(w.text, post, aPage))
	if status != http.StatusOK || !strings.Contains(body, "QUERY_TOO_COMPLEX") || len(body) > 1000 {
		t.Errorf("%d %.500s", status, body)
	}
	if executed := strings.Contains(body, `"executed":true`); executed != (w.kind == "mutation") {
		t.Errorf("%.500s", body)
	}
}

// What a subscription begins with has a greatest length.
func beginningsAreBounded(t *testing.T, w way) {
	s, _, _ := longPagesOf(t, func(*httpapi.Config) {})
	long := `subscription { postCreated(after: "P` + strings.Repeat("A", 64<<10+4) + `") { cursor } }`
	if _, body := s.ask(t, w.transport, long); !strings.Contains(body, "BAD_USER_INPUT") {
		t.Errorf("%.500s", body)
	}
}

// A way ends with the deadline, whatever it waits for then.
func answersHaveADeadline(t *testing.T, w way) { ends(t, w, aPage) }

func beginningsHaveADeadline(t *testing.T, w way) { ends(t, w, "") }

func ends(t *testing.T, w way, selected string) {
	s, pages, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits[limit.Deadline] = 0.1 })
	pages.let(func(ctx context.Context) error {
		<-ctx.Done()
		return &blog.Error{Kind: blog.Timeout, Err: ctx.Err()}
	})
	began := time.Now()
	if _, body := s.ask(t, w.transport, fmt.Sprintf(w.text, post, selected)); !strings.Contains(body, "TIMEOUT") || time.Since(began) > 8*time.Second {
		t.Errorf("after %v: %.500s", time.Since(began), body)
	}
}

// atOnce returns a hook that notes how many are in it at a time, at most.
func atOnce() (hook func(context.Context) error, most func() int) {
	var mu sync.Mutex
	now, highest := 0, 0
	return func(context.Context) error {
			mu.Lock()
			now++
			highest = max(highest, now)
			mu.Unlock()
			for range 1000 {
				runtime.Gosched()
			}
			mu.Lock()
			now--
			mu.Unlock()
			return nil
		}, func() int {
			mu.Lock()
			defer mu.Unlock()
			return highest
		}
}

// Of a client's large answers one is made after the other, whatever asks for them: where the store's reads are work
// of this process, so are its reads.
func answersAreInTurns(t *testing.T, w way) {
	s, pages, post := longPagesOf(t, func(*httpapi.Config) {})
	hook, most := atOnce()
	pages.let(hook)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { s.ask(t, w.transport, fmt.Sprintf(w.text, post, manyPages("first: 2", "node { content }"))) })
	}
	all.Wait()
	if n := most(); n < 1 || n > max((runtime.GOMAXPROCS(0)-1)/2, 1) {
		t.Errorf("%d at a time", n)
	}
}

// Streams read the feed in turns.
func beginningsAreInTurns(t *testing.T, w way) {
	s, pages, post := longPagesOf(t, func(*httpapi.Config) {})
	missed := pages.missed(t, post, 1500)
	s.ask(t, w.transport, missed) // its hub has begun
	hook, most := atOnce()
	pages.let(hook)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { s.ask(t, w.transport, missed) })
	}
	all.Wait()
	if n := most(); n < 1 || n > max(runtime.GOMAXPROCS(0)-1, 1) {
		t.Errorf("%d at a time", n)
	}
}

// While a client has many ways at work that do not end, others are answered: also where it may have as many as it asks
// for, for no budget ends them.
func answersLeaveOthers(t *testing.T, w way) {
	s, pages, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits[limit.Work] = 0 })
	ask := func(subject string) { s.askAs(t, subject, w.transport, fmt.Sprintf(w.text, post, aPage)) }
	othersAreAnswered(t, s, pages, post, ask)
}

func beginningsLeaveOthers(t *testing.T, w way) {
	s, pages, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits[limit.Work], c.InProcess = 0, false })
	missed := pages.missed(t, post, 1500)
	s.ask(t, w.transport, missed) // its hub has begun
	othersAreAnswered(t, s, pages, post, func(subject string) { s.askAs(t, subject, w.transport, missed) })
}

func othersAreAnswered(t *testing.T, s liveServer, pages *longPages, post string, ask func(subject string)) {
	t.Helper()
	waiting, release := make(chan struct{}, 1000), make(chan struct{})
	pages.let(func(context.Context) error {
		waiting <- struct{}{}
		<-release
		return nil
	})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { ask("alice") })
	}
	<-waiting
	for range 20 {
		s.query(t, `{ post(id: "`+post+`") { title author { displayName } } }`, "Authorization", "Bearer bob").want(http.StatusOK, "")
	}
	pages.let(nil) // those of alice that are at work wait on
	ask("bob")
	close(release)
	all.Wait()
}

// What comes over a WebSocket is paid, whatever it is; and a client that can't pay is not listened to.
func TestMessagesThatAskNothingArePaid(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"small":  `{"type":"ping"}`,
		"large":  `{"type":"ping","payload":{"a":"` + strings.Repeat("x", 400<<10) + `"}}`,
		"pong":   `{"type":"pong","payload":{"a":[` + strings.Repeat("0,", 200<<10) + `0]}}`,
		"no one": `{"type":"complete","id":"x","a":"` + strings.Repeat("x", 400<<10) + `"}`,

		"a ping of the socket's own kind": "ping", "a pong that nobody asked for": "pong",
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
				switch text {
				case "ping":
					err = c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Minute))
				case "pong":
					err = c.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Minute))
				default:
					err = c.WriteMessage(websocket.TextMessage, []byte(text))
				}
			}
			if why := <-answered; !websocket.IsCloseError(why, websocket.CloseTryAgainLater) {
				t.Errorf("after %d messages: %v", sent, why)
			}
			if got := s.query(t, "{__typename}", "Authorization", "Bearer alice"); got.status != http.StatusTooManyRequests {
				t.Errorf("after %d messages: %d", sent, got.status)
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
	const partitions = 60
	paid := s.paid(t, func() {
		if _, body := s.ask(t, "sse", fmt.Sprintf(followPost, post, manyPages("first: 1", "cursor"))); !strings.Contains(body, "cursor") {
			t.Fatal(body)
		}
	})
	if paid.most < 2*partitions { // it begins, and has an event
		t.Errorf("%+v units", paid)
	}
}
