package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// limited returns an API over an empty store that has other limits than the default ones.
func limited(t *testing.T, change func(*httpapi.Config)) server {
	t.Helper()
	log := &lines{}
	config := httpapi.Config{
		Log: slog.New(slog.NewTextHandler(log, nil)), Tokens: httpapi.DevTokens{}, Limits: limit.Default,
	}
	change(&config)
	s := server{httpapi.New(config), log}
	s.Serve(memory(t, s.Observer()))
	return s
}

// beyond returns how many requests the metrics say were beyond a limit.
func (s server) beyond(t *testing.T, limit string) int {
	t.Helper()
	for line := range strings.Lines(s.get(t, "/metrics").body) {
		if count, found := strings.CutPrefix(line, `broadsheet_limited_requests_total{limit="`+limit+`"} `); found {
			n, err := strconv.Atoi(strings.TrimSpace(count))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	return 0
}

func TestDocumentsBeyondTheLimits(t *testing.T) {
	t.Parallel()
	s := serving(t)
	for limit, text := range map[string]string{
		"tokens":     "{nodes(ids: [" + strings.Repeat("1 ", 10_000) + "]) {id}}",
		"depth":      "{" + "feed {edges {node {" + strings.Repeat("author {posts {edges {node {", 5) + "id" + strings.Repeat("}", 24),
		"aliases":    "{" + strings.Repeat("a: viewer {id} ", 101) + "}",
		"directives": "{viewer {" + strings.Repeat("id @include(if: true) ", 101) + "}}",
		"selections": "{...A ...A ...A} fragment A on Query {" + strings.Repeat("viewer {id username} ", 600) + "}",
		"repetition": "{" + strings.Repeat("__typename ", 900) + "}",
	} {
		t.Run(limit, func(t *testing.T) {
			got := s.query(t, text)
			got.want(200, "QUERY_TOO_COMPLEX")
			if strings.Contains(got.body, `"data"`) || s.beyond(t, limit) != 1 {
				t.Errorf("%s; counted %d times", got.body, s.beyond(t, limit))
			}
			s.query(t, text, "Accept", "application/graphql-response+json").want(400, "QUERY_TOO_COMPLEX")
		})
	}
}

// What is asked of the rows of a list counts for each row that its page may have.
func TestCost(t *testing.T) {
	t.Parallel()
	for text, cost := range map[string]int{
		"{viewer {id}}": 1,
		"{feed(first: 100) {edges {node {id title author {id username}}}}}":                                                  3,
		"{feed(first: 100) {edges {node {author {bio}}}}}":                                                                   103,
		"{feed {edges {node {author {bio}}}}}":                                                                               23,
		"{feed {edges {node {author {username displayName}}}}}":                                                              3,
		`{node(id: "a") {... on Like {user {displayName}}}}`:                                                                 2,
		`{node(id: "a") {... on Like {user {id}}}}`:                                                                          1,
		`mutation {updateUser(input: {displayName: "b"}) {user {id}}}`:                                                       100,
		"{feed(last: 7) {edges {node {content}}}}":                                                                           10,
		"{feed(first: 100) {edges {node {viewerHasLiked}}}}":                                                                 5,
		"{feed(first: 10) {edges {node {comments(first: 5) {edges {node {author {bio}}}}}}}}":                                3 + 10*2 + 50,
		"{feed(first: 10) {edges {node {...A} node {...A}}}} fragment A on Post {author {bio}}":                              13,
		"{feed(first: 10) @skip(if: true) {edges {node {content}}} viewer {id}}":                                             1,
		`{nodes(ids: ["a", "b", "c"]) {... on Post {author {bio}}}}`:                                                         6,
		`mutation {updateUser(input: {bio: "b"}) {user {id}} two: updateUser(input: {bio: "c"}) {user {id}}}`:                40,
		`mutation {updateUser(input: {username: "b"}) {user {id}} two: updateUser(input: {username: "c"}) {user {id}}}`:      200,
		`{feed(first: 1000000) {edges {node {content}}}}`:                                                                    103,
		`{feed(first: -1) {edges {node {content}}}}`:                                                                         4,
		"{feed(first: 100) {edges {node {comments(first: 100) {edges {node {post {likes {edges {node {user {bio}}}}}}}}}}}}": 3 + 100*2 + 10_000 + 20_000 + 200_000,
	} {
		t.Run(text, func(t *testing.T) {
			s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Cost] = float64(cost) })
			if got := s.query(t, text); got.code() == "QUERY_TOO_COMPLEX" {
				t.Errorf("it costs more than %d: %s", cost, got.body)
			}
			s = limited(t, func(c *httpapi.Config) { c.Limits[limit.Cost] = float64(cost) - 1 })
			if cost > 1 { // 0 is no limit
				s.query(t, text).want(200, "QUERY_TOO_COMPLEX")
				if s.beyond(t, "cost") != 1 {
					t.Error("it is not counted")
				}
			}
		})
	}
}

// A document that was executed before costs what this request's variables make of it.
func TestCostFollowsVariables(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Cost] = 50 })
	for _, c := range []struct {
		text       string
		small, big string
	}{
		{"query($n: Int) {feed(first: $n) {edges {node {content}}}}", `{"n":10}`, `{"n":100}`},
		{"query($on: Boolean!) {feed(first: 100) {edges {node {content @include(if: $on)}}}}", `{"on":false}`, `{"on":true}`},
		{"query($ids: [ID!]!) {nodes(ids: $ids) {id}}", `{"ids":["x"]}`, `{"ids":[` + strings.Repeat(`"x",`, 60) + `"x"]}`},
	} {
		for range 2 {
			s.do(t, post(`{"query":"`+c.text+`","variables":`+c.small+`}`)).want(200, "")
			s.do(t, post(`{"query":"`+c.text+`","variables":`+c.big+`}`)).want(200, "QUERY_TOO_COMPLEX")
		}
	}
	edit := func(name, variables, code string) {
		s.do(t, post(`{"query":"mutation `+name+`($u: String, $b: String, $d: String) {updateUser(input: {username: $u, bio: $b, displayName: $d}) {user {id}}}","variables":`+variables+`}`)).want(200, code)
	}
	for range 2 { // nobody's edit goes beyond the limit where it renames; whichever was asked first
		edit("BioFirst", `{"b":"x"}`, "UNAUTHENTICATED")
		edit("BioFirst", `{"u":"name"}`, "QUERY_TOO_COMPLEX")
		edit("NameFirst", `{"u":"name"}`, "QUERY_TOO_COMPLEX")
		edit("NameFirst", `{"b":"x"}`, "UNAUTHENTICATED")
		edit("DisplayNameFirst", `{"d":null}`, "QUERY_TOO_COMPLEX")
		edit("DisplayNameFirst", `{"b":"x"}`, "UNAUTHENTICATED")
	}
}

func TestCostIsReported(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Cost] = 23 })
	body := `{"query":"{feed {edges {node {author {bio}}}}}","extensions":{"cost":true}}`
	got := s.do(t, post(body))
	var answer struct {
		Data       any
		Extensions struct{ Cost map[string]int }
	}
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil {
		t.Fatal(err)
	}
	if got.want(200, ""); answer.Data == nil || answer.Extensions.Cost["estimated"] != 23 || answer.Extensions.Cost["limit"] != 23 {
		t.Errorf("%s", got.body)
	}
	if got := s.query(t, "{feed {edges {cursor}}}"); strings.Contains(got.body, "extensions") {
		t.Errorf("unasked: %s", got.body)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	t.Parallel()
	s := serving(t)
	var text strings.Builder
	for i := range 600 {
		fmt.Fprintf(&text, "field%d%s ", i, strings.Repeat("x", 1000))
	}
	got := s.query(t, "{"+text.String()+"}")
	var answer struct{ Errors []struct{ Message string } }
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Errors) != 20 || s.beyond(t, "errors") != 1 {
		t.Errorf("%d errors; counted %d times", len(answer.Errors), s.beyond(t, "errors"))
	}
	for _, e := range answer.Errors {
		if n := utf8.RuneCountInString(e.Message); n != 300 || !strings.HasSuffix(e.Message, "…") {
			t.Errorf("a message has %d code points: %s", n, e.Message)
		}
	}
}

// A client is a subject, or else an address: of IPv6, a network. Each has a budget.
func TestClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Work] = 0.5 })
		s.query(t, "{__typename}", "Authorization", "Bearer zoe").want(200, "") // the document is known from now on, and a request takes 2 of 3 units
		from := func(address, token string) answer {
			t.Helper()
			r := post(`{"query":"{__typename}"}`)
			r.RemoteAddr = address
			if token != "" {
				r.Header.Set("Authorization", token)
			}
			return s.do(t, r)
		}
		limited := func(got answer) {
			t.Helper()
			got.want(429, "RATE_LIMITED")
			if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 1 || wait > 1000 {
				t.Errorf("Retry-After: %q", got.header.Get("Retry-After"))
			}
		}
		from("192.0.2.1:1000", "").want(200, "")
		limited(from("192.0.2.1:2000", ""))
		from("192.0.2.2:1000", "").want(200, "")

		from("[2001:db8::1]:1000", "").want(200, "")
		limited(from("[2001:db8::ffff:1]:1000", "")) // the same network
		limited(from("[2001:db8:0:ff::1]:1000", ""))
		from("[2001:db8:0:100::1]:1000", "").want(200, "")

		from("192.0.2.1:1000", "Bearer alice").want(200, "") // has a budget of her own
		limited(from("192.0.2.3:1000", "Bearer alice"))
		from("192.0.2.3:1000", "Bearer bob").want(200, "")

		from("192.0.2.4:1000", "nonsense").want(401, "UNAUTHENTICATED")
		from("192.0.2.4:1000", "nonsense").want(401, "UNAUTHENTICATED")
		limited(from("192.0.2.4:1000", "nonsense")) // whoever guesses

		if s.beyond(t, "work") != 5 {
			t.Errorf("counted %d times", s.beyond(t, "work"))
		}
	})
}

// One request is executed, one waits, the third is refused at once.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) {
		c.Limits[limit.Concurrency], c.Limits[limit.Queue], c.Limits[limit.QueueTime] = 1, 1, 60
	})
	entered, leave := make(chan struct{}), make(chan struct{})
	s.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(context.Context) (blog.Page[blog.Post], error) {
		entered <- struct{}{}
		<-leave
		return blog.Page[blog.Post]{}, nil
	}})
	var all sync.WaitGroup
	ask := func() { s.query(t, "{feed {edges {cursor}}}").want(200, "") }
	all.Go(ask)
	<-entered
	all.Go(ask)
	for !strings.Contains(s.get(t, "/metrics").body, "\nbroadsheet_graphql_requests_waiting 1\n") {
		runtime.Gosched()
	}
	got := s.query(t, "{feed {edges {cursor}}}")
	got.want(503, "UNAVAILABLE")
	if got.header.Get("Retry-After") != "1" || s.beyond(t, "concurrency") != 1 {
		t.Errorf("Retry-After: %q; counted %d times", got.header.Get("Retry-After"), s.beyond(t, "concurrency"))
	}
	leave <- struct{}{}
	<-entered
	leave <- struct{}{}
	all.Wait()
}

func TestPatience(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) {
		c.Limits[limit.Concurrency], c.Limits[limit.Queue], c.Limits[limit.QueueTime] = 1, 1, 0.001
	})
	entered, leave := make(chan struct{}), make(chan struct{})
	s.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(context.Context) (blog.Page[blog.Post], error) {
		entered <- struct{}{}
		<-leave
		return blog.Page[blog.Post]{}, nil
	}})
	var first sync.WaitGroup
	first.Go(func() { s.query(t, "{feed {edges {cursor}}}").want(200, "") })
	<-entered
	s.query(t, "{feed {edges {cursor}}}").want(503, "UNAVAILABLE")
	close(leave)
	first.Wait()
	s.query(t, "{__typename}").want(200, "")
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Body] = 100 })
	valid := `{"query":"{__typename}"}`
	s.do(t, post(valid+strings.Repeat(" ", 100-len(valid)))).want(200, "")
	s.do(t, post(valid+strings.Repeat(" ", 101-len(valid)))).want(413, "BAD_REQUEST")
	for length, status := range map[int]int{100: 200, 101: 413} { // of which nobody said how long it is
		r := post(valid + strings.Repeat(" ", length-len(valid)))
		r.ContentLength = -1
		s.do(t, r).want(status, map[int]string{413: "BAD_REQUEST"}[status])
	}
	if s.beyond(t, "body") != 2 {
		t.Error("it is not counted")
	}
}

func TestValuesLimit(t *testing.T) {
	t.Parallel()
	s := serving(t)
	list := func(n int) string {
		return `{"query":"query($ids: [ID!]!) {nodes(ids: $ids) {id}}","variables":{"ids":[` + strings.Repeat("1,", n) + `1]}}`
	}
	s.do(t, post(list(19_900))).want(200, "BAD_USER_INPUT")
	s.do(t, post(list(20_000))).want(413, "BAD_REQUEST")
	text := strings.Repeat(`[{\"a\":1},`, 3_000) // a string is one value
	s.do(t, post(`{"query":"query($t: ID!) {node(id: $t) {id}}","variables":{"t":"`+text+`"}}`)).want(200, "")
	if s.beyond(t, "values") != 1 {
		t.Error("it is not counted")
	}
}

// An answer that is too large is not sent, and not kept in memory either.
func TestResponseLimit(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Answer] = 1000 })
	s.query(t, `mutation {createUser(input: {username: "alice"}) {user {id}}}`, "Authorization", "Bearer alice").want(200, "")
	got := s.query(t, `mutation {createPost(input: {title: "T", content: "`+strings.Repeat("c", 600)+`"}) {post {id}}}`, "Authorization", "Bearer alice")
	got.want(200, "")
	s.query(t, "{feed {edges {node {content}}}}").want(200, "")
	got = s.query(t, "{feed {edges {node {content again: content}}}}")
	got.want(200, "QUERY_TOO_COMPLEX")
	if strings.Contains(got.body, `"data"`) || s.beyond(t, "answer") != 1 {
		t.Errorf("%s; counted %d times", got.body, s.beyond(t, "answer"))
	}
	s.query(t, "{a: feed {edges {node {content}}} b: feed {edges {node {content}}}}").want(200, "QUERY_TOO_COMPLEX")
}

// A client that does not read its answer does not keep others waiting.
func TestASlowReaderHoldsNoPlace(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Concurrency], c.Limits[limit.Queue] = 1, 0 })
	slow := &slowReader{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	var reading sync.WaitGroup
	reading.Go(func() { s.ServeHTTP(slow, post(`{"query":"{__typename}"}`)) })
	<-slow.begun
	s.query(t, "{__typename}").want(200, "")
	close(slow.read)
	reading.Wait()
}

// slowReader is a client that has not read the beginning of its answer yet.
type slowReader struct {
	*httptest.ResponseRecorder
	begun, read chan struct{}
}

func (s *slowReader) Write(p []byte) (int, error) {
	close(s.begun)
	<-s.read
	return s.ResponseRecorder.Write(p)
}

// Whoever leaves before the answer is no failure of the server's.
func TestAClientThatLeaves(t *testing.T) {
	t.Parallel()
	s := serving(t)
	entered := make(chan struct{})
	s.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(ctx context.Context) (blog.Page[blog.Post], error) {
		close(entered)
		<-ctx.Done()
		return blog.Page[blog.Post]{}, &blog.Error{Kind: blog.Timeout, Err: ctx.Err()}
	}})
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		s.ServeHTTP(httptest.NewRecorder(), post(`{"query":"{feed {edges {cursor}}}"}`).WithContext(ctx))
	})
	<-entered
	leave()
	all.Wait()
	metrics := s.get(t, "/metrics").body
	if !strings.Contains(metrics, `code="CLIENT_CLOSED_REQUEST"`) || strings.Contains(metrics, `code="TIMEOUT"`) || s.beyond(t, "deadline") != 0 {
		t.Error("it is counted as something else")
	}
	if found := s.log.with("level=WARN"); found != nil {
		t.Errorf("%q", found)
	}
}

// Answers come whole: what gqlparser declares for those that don't is not offered.
func TestNoDefer(t *testing.T) {
	t.Parallel()
	s := serving(t)
	s.query(t, "{feed {edges {node {id ... @defer {author {displayName}}}}}}").want(200, "GRAPHQL_VALIDATION_FAILED")
	if got := s.query(t, "{__schema {directives {name}}}"); strings.Contains(got.body, "defer") {
		t.Errorf("%s", got.body)
	}
}

func TestNoIntrospection(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.NoIntrospection = true })
	s.query(t, "{__schema {types {name}}}").want(200, "INTROSPECTION_DISABLED")
	s.query(t, "{__typename}").want(200, "")
}

func TestConnections(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.ConnectionsPerClient] = 2 })
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := s.Connections(inner)
	ends := serveConnections(t, listener)
	dial := func() net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	served := func(conn net.Conn) bool {
		t.Helper()
		_, err := io.WriteString(conn, "?")
		n, readErr := conn.Read(make([]byte, 1))
		return err == nil && readErr == nil && n == 1
	}
	first, second := dial(), dial()
	if !served(first) || !served(second) {
		t.Fatal("a connection within the limit is not served")
	}
	third := dial()
	if served(third) {
		t.Error("a third connection is served")
	}
	<-ends
	first.Close()
	<-ends // the listener knows that it is closed
	if fourth := dial(); !served(fourth) {
		t.Error("a connection that takes a closed one's place is not served")
	} else {
		fourth.Close()
	}
	second.Close()
	third.Close()
	if listener.Close(); s.beyond(t, "connections") != 1 {
		t.Errorf("%d were refused", s.beyond(t, "connections"))
	}
}

// serveConnections echoes, and tells when a connection was closed on both sides.
func serveConnections(t *testing.T, l net.Listener) (ends <-chan struct{}) {
	closed := make(chan struct{}, 10)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
				closed <- struct{}{}
			})
		}
	})
	t.Cleanup(all.Wait)
	return closed
}

// A client whose request's time is over is told so, and what it asked for is not read on.
func TestNothingIsReadAfterTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := &tables{n: map[blog.Table]int{}}
		store := memory(t, read)
		user, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.CreatePost(t.Context(), blog.CreatePost{Author: user.ID, Title: "T", Content: "c"}); err != nil {
			t.Fatal(err)
		}
		s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Deadline] = 0.05 })
		s.Serve(lateFeed{store})
		read.reset()
		got := s.query(t, "{feed {edges {node {title content author {displayName} comments {totalCount}}}}}")
		got.want(200, "TIMEOUT")
		if s.beyond(t, "deadline") != 1 {
			t.Errorf("it is counted %d times", s.beyond(t, "deadline"))
		}
		if n := read.of(blog.UsersByID) + read.of(blog.PostsByID) + read.of(blog.CommentsByPost); n != 0 || read.of(blog.FeedByBucket) != 1 {
			t.Errorf("%d statements were made after the deadline; the feed was read %d times", n, read.of(blog.FeedByBucket))
		}
	})
}

// lateFeed has the feed when the time of whoever asked is over.
type lateFeed struct{ blog.Store }

func (l lateFeed) Feed(ctx context.Context, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	page, err := l.Store.Feed(ctx, request)
	<-ctx.Done()
	return page, err
}

// tables counts statements by table.
type tables struct {
	mu sync.Mutex
	n  map[blog.Table]int
}

func (c *tables) Statement(_ context.Context, s blog.Statement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[s.Table]++
}

func (c *tables) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = map[blog.Table]int{}
}

func (c *tables) of(table blog.Table) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[table]
}

// Under overload a body is not read that would not be answered.
func TestNoRoomIsToldBeforeTheBody(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Concurrency], c.Limits[limit.Queue] = 1, 0 })
	entered, leave := make(chan struct{}), make(chan struct{})
	s.Serve(stub{upkeep: func() blog.Upkeep { return blog.Upkeep{} }, feed: func(context.Context) (blog.Page[blog.Post], error) {
		entered <- struct{}{}
		<-leave
		return blog.Page[blog.Post]{}, nil
	}})
	var first sync.WaitGroup
	first.Go(func() { s.query(t, "{feed {edges {cursor}}}").want(200, "") })
	<-entered
	body := &unread{}
	r := post("")
	r.Body, r.ContentLength = body, 100
	if s.do(t, r).want(503, "UNAVAILABLE"); body.reads > 0 {
		t.Error("the body was read")
	}
	close(leave)
	first.Wait()
}

// unread is a body that counts who reads it.
type unread struct{ reads int }

func (u *unread) Read([]byte) (int, error) {
	u.reads++
	return 0, io.EOF
}

func (u *unread) Close() error { return nil }
