package httpapi_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/httpapi/limit"
)

// liveServer serves a store that is empty through a listener.
type liveServer struct {
	server
	url string
}

func live(t *testing.T, c httpapi.Config) liveServer {
	t.Helper()
	log := &lines{}
	c.Log = slog.New(slog.NewTextHandler(log, nil))
	c.Tokens = cmp.Or[httpapi.Tokens](c.Tokens, httpapi.DevTokens{})
	s := server{httpapi.New(c), log}
	s.Serve(memory(t, s.Observer()))
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Drain()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		s.Drained(ctx)
		web.Close()
	})
	return liveServer{s, web.URL}
}

// post creates a post.
func (s liveServer) post(t *testing.T, title string) (id string) {
	t.Helper()
	return s.postOf(t, title, "text")
}

func (s liveServer) postOf(t *testing.T, title, content string) (id string) {
	t.Helper()
	s.query(t, `mutation { createUser(input: {username: "alice"}) { user { id } } }`, "Authorization", "Bearer alice")
	got := s.query(t, fmt.Sprintf(`mutation { createPost(input: {title: %q, content: %q}) { post { id } } }`, title, content), "Authorization", "Bearer alice")
	var made struct {
		Data struct {
			CreatePost struct{ Post struct{ ID string } }
		}
	}
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || made.Data.CreatePost.Post.ID == "" {
		t.Fatal(got.body)
	}
	return made.Data.CreatePost.Post.ID
}

// socket is a WebSocket's client.
type socket struct {
	*websocket.Conn
	t *testing.T
}

// message is one of the server's.
type message struct {
	ID, Type string
	Payload  json.RawMessage
}

func (s liveServer) dial(t *testing.T, headers http.Header) (socket, *http.Response, error) {
	dialer := websocket.Dialer{Subprotocols: []string{graphqlws.Subprotocol}, ReadBufferSize: 256, WriteBufferSize: 256}
	conn, response, err := dialer.Dial("ws"+strings.TrimPrefix(s.url, "http")+"/graphql", headers)
	if err == nil {
		t.Cleanup(func() { conn.Close() })
	}
	return socket{conn, t}, response, err
}

// connect returns a socket that is acknowledged, whose connection_init has a payload.
func (s liveServer) connect(t *testing.T, payload string) socket {
	t.Helper()
	c, _, err := s.dial(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.send(`{"type":"connection_init","payload":` + payload + `}`)
	if got := c.next(); got.Type != "connection_ack" {
		t.Fatal(got)
	}
	return c
}

func (c socket) send(text string) {
	c.t.Helper()
	if err := c.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

func (c socket) subscribe(id, query string) {
	c.t.Helper()
	text, _ := json.Marshal(map[string]any{"id": id, "type": "subscribe", "payload": map[string]any{"query": query}})
	c.send(string(text))
}

func (c socket) next() (m message) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
	if err := c.ReadJSON(&m); err != nil {
		c.t.Fatal(err)
	}
	return m
}

// want reads a message of a type, whose payload has a part.
func (c socket) want(kind, part string) {
	c.t.Helper()
	if m := c.next(); m.Type != kind || !strings.Contains(string(m.Payload), part) {
		c.t.Fatalf("%s %s %s, not %s with %s", m.ID, m.Type, m.Payload, kind, part)
	}
}

func (c socket) wantClose(code int) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
	_, text, err := c.ReadMessage()
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != code {
		c.t.Fatalf("%s %v, not %d", text, err, code)
	}
}

// metric waits until a line of /metrics is there.
func (s liveServer) metric(t *testing.T, line string) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); ; runtime.Gosched() {
		body := s.get(t, "/metrics").body
		if strings.Contains(body, "\n"+line+"\n") {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("no %s", line)
		}
	}
}

func TestASocketExecutesWhatHTTPDoes(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{})
	c := s.connect(t, `{"AUTHORIZATION": "Bearer alice"}`)
	c.subscribe("1", `mutation { createUser(input: {username: "alice"}) { user { username } } }`)
	c.want("next", `{"data":{"createUser":{"user":{"username":"alice"}}}}`)
	c.want("complete", "")
	c.subscribe("2", `query Me { viewer { username } }`)
	c.want("next", `{"data":{"viewer":{"username":"alice"}}}`)
	c.want("complete", "")
	c.subscribe("3", `{ nothing }`)
	c.want("error", "GRAPHQL_VALIDATION_FAILED")
	c.subscribe("4", `{`)
	c.want("error", "GRAPHQL_PARSE_FAILED")
	c.send(`{"id":"5","type":"subscribe","payload":{"query":"{ feed(first: 1) { pageInfo { hasNextPage } } }","extensions":{"cost":true}}}`)
	c.want("next", `"cost":{`)
	c.want("complete", "")
	const hash = "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38" // of { __typename }
	persisted := `"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`
	c.send(`{"id":"6","type":"subscribe","payload":{` + persisted + `}}`)
	c.want("error", "PERSISTED_QUERY_NOT_FOUND")
	c.send(`{"id":"7","type":"subscribe","payload":{"query":"{__typename}",` + persisted + `}}`)
	c.want("next", `{"data":{"__typename":"Query"}}`)
	c.want("complete", "")
	c.send(`{"id":"8","type":"subscribe","payload":{` + persisted + `}}`)
	c.want("next", `{"data":{"__typename":"Query"}}`)
	c.want("complete", "")
	s.metric(t, `broadsheet_graphql_requests_total{code="GRAPHQL_PARSE_FAILED",operation="unknown"} 1`)
	s.metric(t, `broadsheet_graphql_requests_total{code="OK",operation="mutation"} 1`)
	s.metric(t, `broadsheet_websockets_open 1`)
	line := s.log.with("name=Me")
	if len(line) != 1 || !strings.Contains(line[0], "transport=websocket") || !strings.Contains(line[0], "statements=1") {
		t.Error(line)
	}
}

func TestWhoASocketActsFor(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{})
	const who = `mutation { createPost(input: {title: "a", content: "b"}) { userErrors { code } } }`
	c := s.connect(t, `{"Authorization": null, "other": 1}`)
	c.subscribe("1", who)
	c.want("next", "UNAUTHENTICATED")
	c, _, err := s.dial(t, http.Header{"Authorization": {"Bearer alice"}})
	if err != nil {
		t.Fatal(err)
	}
	c.send(`{"type":"connection_init"}`)
	c.want("connection_ack", "")
	c.subscribe("1", who)
	c.want("next", "FORBIDDEN") // a subject, without an account
	for name, payload := range map[string]string{
		"no scheme": `{"authorization": "alice"}`, "empty": `{"Authorization": ""}`, "no text": `{"Authorization": 1}`,
		"twice": `{"authorization": "Bearer alice", "Authorization": "Bearer alice"}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, _, err := s.dial(t, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.send(`{"type":"connection_init","payload":` + payload + `}`)
			c.wantClose(graphqlws.CodeForbidden)
		})
	}
}

func TestHandshakesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{CORSOrigins: []string{"https://app.example.org"}, Limits: limitsWith(func(l *limit.Values) { l[limit.LiveConnectionsPerClient] = 2 })})
	refused := func(status int, headers http.Header) {
		t.Helper()
		_, response, err := s.dial(t, headers)
		if err == nil || response == nil || response.StatusCode != status {
			t.Errorf("%v: %v, %v, not %d", headers, response, err, status)
		}
	}
	refused(http.StatusUnauthorized, http.Header{"Authorization": {"alice"}})
	refused(http.StatusForbidden, http.Header{"Origin": {"https://elsewhere.example.org"}})
	refused(http.StatusForbidden, http.Header{"Origin": {"null"}})
	for _, origin := range []string{"https://app.example.org", s.url} {
		if _, _, err := s.dial(t, http.Header{"Origin": {origin}}); err != nil {
			t.Errorf("%s: %v", origin, err)
		}
	}
	refused(http.StatusTooManyRequests, nil) // two are open
	s.metric(t, `broadsheet_limited_requests_total{limit="live_connections"} 1`)
	s.Drain()
	refused(http.StatusServiceUnavailable, nil)
	wrong := httptest.NewRequest(http.MethodGet, "/graphql", nil)
	wrong.Header = http.Header{"Connection": {"upgrade"}, "Upgrade": {"websocket"}}
	start(t).do(t, wrong).want(http.StatusServiceUnavailable, "UNAVAILABLE")
	serving(t).do(t, wrong).want(http.StatusBadRequest, "BAD_REQUEST")
}

// limitsWith changes the limits that are the default.
func limitsWith(change func(*limit.Values)) limit.Values {
	l := limit.Default
	change(&l)
	return l
}

func TestLimitsOfASocket(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{Limits: limitsWith(func(l *limit.Values) {
		l[limit.Subscriptions], l[limit.Cost], l[limit.Work], l[limit.Body] = 1, 10, 4, 4096
	})})
	c := s.connect(t, `{"Authorization": "Bearer alice"}`)
	c.subscribe("1", `subscription { postCreated { cursor } }`)
	c.subscribe("2", `subscription { postCreated { cursor } }`)
	c.want("error", `"limit":"subscriptions"`)
	c.subscribe("3", `{ feed(first: 100) { edges { node { comments { totalCount } } } } }`)
	c.want("error", "QUERY_TOO_COMPLEX")
	for limited := false; !limited; {
		c.subscribe("4", `{ __typename }`)
		m := c.next()
		limited = m.Type == "error" && strings.Contains(string(m.Payload), "RATE_LIMITED")
		if !limited {
			c.want("complete", "")
		}
	}
	c.send(`{"type":"ping","payload":{"x":"` + strings.Repeat("x", 4096) + `"}}`)
	c.wantClose(1009)
}

func TestASubscriptionOverAWebSocket(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{})
	id := s.post(t, "zero")
	c := s.connect(t, `{}`)
	c.subscribe("wrong", `subscription { postCreated(after: "x") { cursor } }`)
	c.want("error", "BAD_USER_INPUT")
	c.subscribe("state", `subscription { postChanged(id: "`+id+`") { post { title } deletedId } }`)
	c.want("next", `{"data":{"postChanged":{"post":{"title":"zero"},"deletedId":null}}}`)
	c.subscribe("all", `subscription { postCreated { cursor post { title } } }`)
	s.metric(t, `broadsheet_subscriptions_open{transport="websocket"} 2`)
	s.post(t, "one")
	c.want("next", `"title":"one"`)
	c.send(`{"id":"all","type":"complete"}`)
	s.query(t, `mutation { deletePost(input: {id: "`+id+`"}) { deletedId } }`, "Authorization", "Bearer alice")
	c.want("next", `"deletedId":"`+id+`"`)
	c.want("complete", "")
	s.metric(t, `broadsheet_subscriptions_open{transport="websocket"} 0`)
	s.metric(t, `broadsheet_subscription_events_sent_total{transport="websocket"} 3`)
	s.metric(t, `broadsheet_graphql_requests_total{code="OK",operation="subscription"} 2`)
}

func TestADrainEndsStreams(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{})
	c, idle := s.connect(t, `{}`), s.connect(t, `{}`)
	c.subscribe("1", `subscription { postCreated { cursor } }`)
	events := s.events(t, `subscription { postCreated { cursor } }`, nil)
	s.metric(t, `broadsheet_subscriptions_open{transport="websocket"} 1`)
	s.metric(t, `broadsheet_subscriptions_open{transport="sse"} 1`)
	s.Drain()
	c.want("error", "SHUTTING_DOWN")
	c.wantClose(1001)
	idle.wantClose(1001)
	if e := events.next(t); e.name != "next" || !strings.Contains(e.data, "SHUTTING_DOWN") {
		t.Error(e)
	}
	if e := events.next(t); e.name != "" { // it is not complete: an EventSource comes back
		t.Error(e)
	}
	s.metric(t, `broadsheet_graphql_requests_total{code="SHUTTING_DOWN",operation="subscription"} 2`)
}

func TestATokensEndIsItsStreams(t *testing.T) {
	t.Parallel()
	short := func(context.Context, string) (blog.Bearer, error) {
		return blog.Bearer{Subject: "alice", Expires: time.Now().Add(3 * time.Second)}, nil
	}
	s := live(t, httpapi.Config{Tokens: tokens{bearer: short}})
	c := s.connect(t, `{"Authorization": "Bearer x"}`)
	c.subscribe("1", `subscription { postCreated { cursor } }`)
	events := s.events(t, `subscription { postCreated { cursor } }`, http.Header{"Authorization": {"Bearer x"}})
	c.want("error", "UNAUTHENTICATED")
	c.wantClose(graphqlws.CodeForbidden)
	if e := events.next(t); !strings.Contains(e.data, "UNAUTHENTICATED") {
		t.Error(e)
	}
}

// What is open is judged again: its key may be withdrawn.
func TestATokenThatIsTakenNoMoreEndsWhatIsOpen(t *testing.T) {
	t.Parallel()
	var withdrawn atomic.Bool
	judge := func(context.Context, string) (blog.Bearer, error) {
		if withdrawn.Load() {
			return blog.Bearer{}, errors.New("unknown key")
		}
		return blog.Bearer{Subject: "alice"}, nil
	}
	c := httpapi.Config{Tokens: tokens{bearer: judge}, Live: graphqlws.Config{KeepAlive: 50 * time.Millisecond}}
	s := live(t, c)
	events := s.events(t, `subscription { postCreated { cursor } }`, http.Header{"Authorization": {"Bearer x"}})
	c.Live.KeepAlive = time.Hour
	other := live(t, c)
	asking := other.connect(t, `{"Authorization": "Bearer x"}`)
	asking.subscribe("1", `{viewer {username}}`)
	asking.want("next", "")
	asking.want("complete", "")
	withdrawn.Store(true)
	asking.subscribe("2", `mutation {createUser(input: {username: "mallory"}) {user {id}}}`)
	asking.wantClose(graphqlws.CodeForbidden)
	if got := other.query(t, `{user(username: "mallory") {id}}`); !strings.Contains(got.body, `"user":null`) {
		t.Errorf("it was executed: %s", got.body)
	}
	if e := events.next(t); !strings.Contains(e.data, "UNAUTHENTICATED") {
		t.Error(e)
	}
}

func TestATokenThatCantBeJudgedIsTriedAgain(t *testing.T) {
	t.Parallel()
	away := func(context.Context, string) (blog.Bearer, error) {
		return blog.Bearer{}, blog.Errorf(blog.Unavailable, "the keys are away")
	}
	s := live(t, httpapi.Config{Tokens: tokens{bearer: away}})
	c, _, err := s.dial(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.send(`{"type":"connection_init","payload":{"Authorization":"Bearer x"}}`)
	c.wantClose(graphqlws.CodeTryAgainLater)
}

// event is one of an event stream; the name is empty at its end.
type event struct{ name, id, data string }

// eventSource reads an event stream.
type eventSource struct {
	response *http.Response
	lines    *bufio.Scanner
}

// events posts an operation to which a stream of events is the answer.
func (s liveServer) events(t *testing.T, query string, headers http.Header) eventSource {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"query": query})
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/graphql", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	return s.eventsOf(t, r, headers)
}

func (s liveServer) eventsOf(t *testing.T, r *http.Request, headers http.Header) eventSource {
	t.Helper()
	for name, values := range headers {
		r.Header[name] = values
	}
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "text/event-stream")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return eventSource{response, bufio.NewScanner(response.Body)}
}

func (e eventSource) next(t *testing.T) (of event) {
	t.Helper()
	for e.lines.Scan() {
		name, value, _ := strings.Cut(e.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			of.name = value
		case "id":
			of.id = value
		case "data":
			of.data += value
		case "":
			if of.name != "" {
				return of
			}
		}
	}
	return event{}
}

func TestASubscriptionAsEvents(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{CompressFrom: 1, Live: graphqlws.Config{KeepAlive: 10 * time.Millisecond}})
	id := s.post(t, "zero")
	const query = `subscription { postCreated { post { title } } }`
	e := s.events(t, query, http.Header{"Accept-Encoding": {"gzip"}, "Accept": {"application/json, text/event-stream"}})
	if h := e.response.Header; h.Get("Content-Type") != "text/event-stream; charset=utf-8" || h.Get("Content-Encoding") != "" || h.Get("Cache-Control") != "no-store" {
		t.Error(h)
	}
	s.metric(t, `broadsheet_subscriptions_open{transport="sse"} 1`)
	for range 3 {
		if !e.lines.Scan() || e.lines.Text() != ":" || !e.lines.Scan() || e.lines.Text() != "" {
			t.Fatal(e.lines.Text())
		}
	}
	s.post(t, "one")
	one := e.next(t)
	if one.name != "next" || one.data != `{"data":{"postCreated":{"post":{"title":"one"}}}}` || one.id == "" {
		t.Fatal(one)
	}
	e.response.Body.Close()
	s.metric(t, `broadsheet_subscriptions_open{transport="sse"} 0`)
	s.post(t, "two")
	s.post(t, "three")
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/graphql?query="+strings.ReplaceAll(query, " ", "%20"), nil)
	again := s.eventsOf(t, r, http.Header{"Last-Event-Id": {one.id}})
	for _, title := range []string{"two", "three"} {
		if got := again.next(t); !strings.Contains(got.data, `"`+title+`"`) {
			t.Errorf("%v, not %s", got, title)
		}
	}
	state := s.events(t, `subscription { postChanged(id: "`+id+`") { deletedId } }`, nil)
	if got := state.next(t); got.name != "next" || got.id != "" {
		t.Error(got)
	}
	s.query(t, `mutation { deletePost(input: {id: "`+id+`"}) { deletedId } }`, "Authorization", "Bearer alice")
	if got := state.next(t); !strings.Contains(got.data, id) {
		t.Error(got)
	}
	if got := state.next(t); got.name != "complete" {
		t.Error(got)
	}
	if line := s.log.with("operation=subscription"); len(line) == 0 || !strings.Contains(line[0], "transport=sse") {
		t.Error(line)
	}
}

func TestOtherOperationsAsEvents(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{})
	for query, want := range map[string]string{
		`{ __typename }`: `{"data":{"__typename":"Query"}}`,
		`{ nothing }`:    "GRAPHQL_VALIDATION_FAILED",
		`subscription { postCreated(after: "x") { cursor } }`: "BAD_USER_INPUT",
	} {
		e := s.events(t, query, nil)
		if got := e.next(t); got.name != "next" || !strings.Contains(got.data, want) {
			t.Errorf("%s: %v", query, got)
		}
		if got := e.next(t); got.name != "complete" {
			t.Errorf("%s: %v", query, got)
		}
	}
}

func TestEventsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{Limits: limitsWith(func(l *limit.Values) { l[limit.LiveConnections] = 1 })})
	const query = `subscription { postCreated { cursor } }`
	refused := func(status int, e eventSource) {
		t.Helper()
		if e.response.StatusCode != status || !strings.HasPrefix(e.response.Header.Get("Content-Type"), "application/") {
			t.Errorf("%d %s, not %d", e.response.StatusCode, e.response.Header.Get("Content-Type"), status)
		}
	}
	refused(http.StatusUnauthorized, s.events(t, query, http.Header{"Authorization": {"alice"}}))
	refused(http.StatusNotAcceptable, s.events(t, query, http.Header{"Accept": {"application/json, */*"}}))
	refused(http.StatusNotAcceptable, s.events(t, query, http.Header{"Accept": {"text/html"}}))
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/graphql?query=mutation%20%7B%20__typename%20%7D", nil)
	refused(http.StatusMethodNotAllowed, s.eventsOf(t, r, nil))
	s.events(t, query, nil)
	refused(http.StatusServiceUnavailable, s.events(t, query, nil))
	s.Drain()
	refused(http.StatusServiceUnavailable, s.events(t, query, nil))
}

func TestAReaderOfEventsThatIsSlowIsCut(t *testing.T) {
	t.Parallel()
	s := live(t, httpapi.Config{Live: graphqlws.Config{WriteTimeout: 100 * time.Millisecond}})
	long := make([]string, 100)
	for i := range long {
		long[i] = fmt.Sprintf("c%d: content", i)
	}
	s.events(t, `subscription { postCreated { post { `+strings.Join(long, " ")+` } } }`, nil)
	s.metric(t, `broadsheet_subscriptions_open{transport="sse"} 1`)
	for until := time.Now().Add(2 * time.Minute); !strings.Contains(s.get(t, "/metrics").body, `broadsheet_slow_consumers_total{transport="sse"} 1`); {
		if time.Now().After(until) {
			t.Fatal("it is not cut")
		}
		s.postOf(t, "long", strings.Repeat("x", 60_000))
	}
	s.metric(t, `broadsheet_subscriptions_open{transport="sse"} 0`)
}

func TestAThousandDroppedSubscribersLeaveNothing(t *testing.T) {
	s := live(t, httpapi.Config{})
	settled := func() (goroutines int, heap uint64) {
		s.metric(t, `broadsheet_websockets_open 0`)
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	drop := func(n int) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range n / 8 {
					c := s.connect(t, `{}`)
					c.subscribe("a", `subscription { postCreated { cursor } }`)
					c.subscribe("b", `{ __typename }`)
					c.want("next", "Query")
					c.NetConn().Close()
				}
			})
		}
		all.Wait()
	}
	drop(80)
	s.metric(t, `broadsheet_subscriptions_open{transport="websocket"} 0`)
	goroutines, heap := settled()
	drop(1000)
	s.metric(t, `broadsheet_subscriptions_open{transport="websocket"} 0`)
	after, grown := settled()
	t.Logf("%d goroutines, then %d; %d bytes, then %d", goroutines, after, heap, grown)
	if after > goroutines+10 || grown > heap+4<<20 {
		t.Errorf("%d goroutines, then %d; %d bytes, then %d", goroutines, after, heap, grown)
	}
}
