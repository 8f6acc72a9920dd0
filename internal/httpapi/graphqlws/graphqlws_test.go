package graphqlws_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"broadsheet/internal/httpapi/graphqlws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// session executes what a payload's query names.
type session struct {
	expires time.Time
	started chan string // is told of each operation that waits
	ended   chan error  // is told of the cause of each that has waited
	release chan struct{}
	refused atomic.Pointer[graphqlws.Close] // what Judge returns
	closed  chan int
}

func newSession() *session {
	return &session{started: make(chan string, 4096), ended: make(chan error, 4096), release: make(chan struct{}), closed: make(chan int, 4096)}
}

func (s *session) Closed(code int) { s.closed <- code }

func (s *session) Judge() *graphqlws.Close { return s.refused.Load() }

func (s *session) Message() graphqlws.Message { return s }

func (s *session) Reserve(int) bool { return true }

func (s *session) Read(int) (end func()) { return func() {} }

func (s *session) Release() {}

func (s *session) Init(payload []byte) (time.Time, *graphqlws.Close) {
	if strings.Contains(string(payload), "bad") {
		return time.Time{}, &graphqlws.Close{Code: graphqlws.CodeForbidden, Reason: strings.Repeat("ü", 100)}
	}
	return s.expires, nil
}

func (s *session) Operation(payload []byte) (graphqlws.Runner, error) {
	var request struct{ Query string }
	if err := json.Unmarshal(payload, &request); err != nil {
		return nil, errors.New("query must be a string")
	}
	return operation{s, request.Query}, nil
}

type operation struct {
	*session
	query string
}

func (s operation) Begin(ctx context.Context, o *graphqlws.Operation) func() {
	return func() { s.answer(ctx, o) }
}

func (s operation) End(any) {}

func (s operation) answer(ctx context.Context, o *graphqlws.Operation) {
	switch query := s.query; query {
	case "one":
		o.Next([]byte(`{"data":`), []byte(`1`), []byte(`}`))
		o.Complete()
	case "wrong":
		o.Error([]byte(`[{"message":"wrong"}]`))
		o.Next([]byte("{}")) // it is silent now
	case "wait": // a query that takes long
		s.started <- query
		<-s.release
		o.Next([]byte("{}"))
		o.Complete()
	case "stream", "greeting":
		if err := o.Stream(); err != nil {
			o.Error([]byte(`"` + err.Error() + `"`))
			return
		}
		if query == "greeting" {
			o.Next([]byte("{}"))
		} else {
			s.started <- query
		}
		<-ctx.Done()
		o.Error([]byte(`"` + context.Cause(ctx).Error() + `"`))
		s.ended <- context.Cause(ctx)
	case "flood":
		_ = o.Stream()
		for o.Next([]byte(`"` + strings.Repeat("x", 1<<16) + `"`)) {
		}
		<-ctx.Done()
		s.ended <- context.Cause(ctx)
	}
}

// server serves sockets for one session.
type server struct {
	*graphqlws.Server
	url    string
	dialer websocket.Dialer
	closed chan int
}

func serve(t *testing.T, c graphqlws.Config, s *session) server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, listener, c, s)
}

// serveInBubble serves sockets over pipes, which wait by the clock of a bubble of synctest, as those of the
// machine do not: what is tested is a time.
func serveInBubble(t *testing.T, c graphqlws.Config, s *session) server {
	t.Helper()
	on := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
	served := serveOn(t, on, c, s)
	served.dialer.NetDial = on.dial
	return served
}

func serveOn(t *testing.T, on net.Listener, c graphqlws.Config, s *session) server {
	c.MaxMessage = 4 << 10
	sockets := graphqlws.New(c)
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sockets.Open(w, r, s, func(status int, err error) { http.Error(w, err.Error(), status) })
	})}
	go web.Serve(on)
	t.Cleanup(func() {
		sockets.Leave()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		sockets.Wait(ctx)
		web.Close()
	})
	return server{sockets, "ws://" + on.Addr().String(), websocket.Dialer{}, s.closed}
}

// pipes is a listener whose connections are within the process.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	closing  sync.Once
}

func (p *pipes) dial(string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.accepted <- there
	return here, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.closing.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// client is one socket's other side.
type client struct {
	*websocket.Conn
	t *testing.T
}

func (s server) dial(t *testing.T, protocols ...string) client {
	t.Helper()
	s.dialer.Subprotocols = protocols
	conn, response, err := s.dialer.Dial(s.url, nil)
	if err != nil {
		t.Fatal(err, response)
	}
	t.Cleanup(func() { conn.Close() })
	return client{conn, t}
}

// ready returns a client that is acknowledged.
func (s server) ready(t *testing.T) client {
	t.Helper()
	c := s.dial(t, graphqlws.Subprotocol)
	c.send(`{"type":"connection_init"}`)
	c.want(`{"type":"connection_ack"}`)
	return c
}

func (c client) send(text string) {
	c.t.Helper()
	if err := c.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

func (c client) want(text string) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
	_, got, err := c.ReadMessage()
	if err != nil || string(got) != text {
		c.t.Fatalf("%s, %v, not %s", got, err, text)
	}
}

// wantClose reads up to the close frame.
func (c client) wantClose(code int, reason string) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
	for {
		_, _, err := c.ReadMessage()
		if err == nil {
			continue
		}
		var closed *websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != code || !strings.Contains(closed.Text, reason) {
			c.t.Fatalf("%v, not %d %s", err, code, reason)
		}
		return
	}
}

const initialise = `{"type":"connection_init"}`

func TestCloseCodes(t *testing.T) {
	t.Parallel()
	stream := `{"type":"subscribe","id":"a","payload":{"query":"stream"}}`
	for name, test := range map[string]struct {
		messages []string
		code     int
		reason   string
	}{
		"no JSON":                        {[]string{`{"type":`}, 4400, "JSON"},
		"a list":                         {[]string{`[]`}, 4400, "object"},
		"null":                           {[]string{`null`}, 4400, "object"},
		"not UTF-8":                      {[]string{"{\"type\":\"\xff\"}"}, 4400, "UTF-8"},
		"a type that is a number":        {[]string{`{"type":1}`}, 4400, "type"},
		"no type":                        {[]string{`{}`}, 4400, "type"},
		"a type in another case":         {[]string{`{"type":"PING"}`}, 4400, "type"},
		"a server's message":             {[]string{initialise, `{"type":"next","id":"a","payload":{}}`}, 4400, "type"},
		"an old protocol's message":      {[]string{initialise, `{"type":"start","id":"a","payload":{}}`}, 4400, "type"},
		"connection_init of a list":      {[]string{`{"type":"connection_init","payload":[]}`}, 4400, "payload"},
		"ping of a text":                 {[]string{`{"type":"ping","payload":"x"}`}, 4400, "payload"},
		"subscribe without an id":        {[]string{initialise, `{"type":"subscribe","payload":{"query":"one"}}`}, 4400, "id"},
		"subscribe without a payload":    {[]string{initialise, `{"type":"subscribe","id":"a"}`}, 4400, "payload"},
		"subscribe with a wrong payload": {[]string{initialise, `{"type":"subscribe","id":"a","payload":{"query":1}}`}, 4400, "query must be a string"},
		"complete without an id":         {[]string{initialise, `{"type":"complete"}`}, 4400, "id"},
		"subscribe before init":          {[]string{stream}, 4401, "Unauthorized"},
		"a bad token":                    {[]string{`{"type":"connection_init","payload":{"token":"bad"}}`}, 4403, strings.Repeat("ü", 61)},
		"an id twice":                    {[]string{initialise, stream, stream}, 4409, "Subscriber for a already exists"},
		"init twice":                     {[]string{initialise, initialise}, 4429, "Too many initialisation requests"},
		"a large message":                {[]string{initialise, `{"type":"ping","payload":{"x":"` + strings.Repeat("x", 5<<10) + `"}}`}, 1009, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, graphqlws.Config{}, newSession())
			c := s.dial(t, graphqlws.Subprotocol)
			for _, message := range test.messages {
				c.send(message)
			}
			c.wantClose(test.code, test.reason)
			if got := <-s.closed; got != test.code {
				t.Errorf("counted as %d", got)
			}
		})
	}
}

func TestBinaryMessagesAreInvalid(t *testing.T) {
	t.Parallel()
	s := serve(t, graphqlws.Config{}, newSession())
	c := s.ready(t)
	if err := c.WriteMessage(websocket.BinaryMessage, []byte(initialise)); err != nil {
		t.Fatal(err)
	}
	c.wantClose(4400, "text")
}

func TestAnotherSubprotocolIsNotAcceptable(t *testing.T) {
	t.Parallel()
	s := serve(t, graphqlws.Config{}, newSession())
	for _, protocols := range [][]string{nil, {"graphql-ws"}, {"graphql-ws", "soap"}} {
		s.dial(t, protocols...).wantClose(4406, "Subprotocol not acceptable")
	}
	s.dial(t, "graphql-ws", graphqlws.Subprotocol).send(initialise)
}

func TestInitHasItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serveInBubble(t, graphqlws.Config{InitTimeout: 50 * time.Millisecond}, newSession())
		s.dial(t, graphqlws.Subprotocol).wantClose(4408, "Connection initialisation timeout")
		if got := <-s.closed; got != 4408 {
			t.Errorf("counted as %d", got)
		}
	})
}

func TestOperations(t *testing.T) {
	t.Parallel()
	s := serve(t, graphqlws.Config{}, newSession())
	c := s.dial(t, graphqlws.Subprotocol)
	c.send(`{"type":"ping"}`) // at any time
	c.want(`{"type":"pong"}`)
	c.send(`{"type":"pong"}`)
	c.send(`{"type":"connection_init","payload":null,"more":[{"is":"ignored"}]}`)
	c.want(`{"type":"connection_ack"}`)
	c.send(`{"type":"ping","payload":{"a":1}}`)
	c.want(`{"type":"pong","payload":{"a":1}}`)
	for range 2 { // an id is free again when its operation has ended
		c.send(`{"id":"\"1\"","type":"subscribe","payload":{"query":"one"}}`)
		c.want(`{"id":"\"1\"","type":"next","payload":{"data":1}}`)
		c.want(`{"id":"\"1\"","type":"complete"}`)
		c.send(`{"id":"2","type":"subscribe","payload":{"query":"wrong"}}`)
		c.want(`{"id":"2","type":"error","payload":[{"message":"wrong"}]}`)
	}
	c.send(`{"id":"9","type":"complete"}`) // of none
	c.send(`{"type":"ping"}`)
	c.want(`{"type":"pong"}`)
	if err := c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, "bye"), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	c.wantClose(1000, "")
	if got := <-s.closed; got != 1000 {
		t.Errorf("counted as %d", got)
	}
}

func TestCompleteSilencesAStream(t *testing.T) {
	t.Parallel()
	of := newSession()
	s := serve(t, graphqlws.Config{MaxStreams: 1}, of)
	c := s.ready(t)
	for range 3 { // a completed stream counts no more, and its id is free
		c.send(`{"id":"a","type":"subscribe","payload":{"query":"stream"}}`)
		<-of.started
		c.send(`{"id":"a","type":"complete"}`)
		if err := <-of.ended; !errors.Is(err, graphqlws.ErrCompleted) {
			t.Errorf("ended by %v", err)
		}
		c.send(`{"type":"ping"}`)
		c.want(`{"type":"pong"}`)
	}
}

func TestStreamsOfASocketAreLimited(t *testing.T) {
	t.Parallel()
	of := newSession()
	s := serve(t, graphqlws.Config{MaxStreams: 2}, of)
	c := s.ready(t)
	for i := range 2 {
		c.send(fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":"stream"}}`, i))
		<-of.started
	}
	c.send(`{"id":"2","type":"subscribe","payload":{"query":"stream"}}`)
	c.want(`{"id":"2","type":"error","payload":"` + graphqlws.ErrTooMany.Error() + `"}`)
	c.send(`{"id":"3","type":"subscribe","payload":{"query":"one"}}`)
	c.want(`{"id":"3","type":"next","payload":{"data":1}}`)
}

func TestOperationsBeyondThoseAtOnceWait(t *testing.T) {
	t.Parallel()
	of := newSession()
	s := serve(t, graphqlws.Config{}, of)
	c := s.ready(t)
	const all = 40
	for i := range all {
		c.send(fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":"wait"}}`, i))
	}
	for range 16 {
		<-of.started
	}
	if n := len(of.started); n > 0 {
		t.Errorf("%d more are executed", n)
	}
	close(of.release)
	for range 2 * all {
		if _, _, err := c.ReadMessage(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAClientThatIsSilentIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		of := newSession()
		s := serveInBubble(t, graphqlws.Config{KeepAlive: 20 * time.Millisecond}, of)
		c := s.ready(t)
		c.send(`{"id":"a","type":"subscribe","payload":{"query":"stream"}}`)
		if err := <-of.ended; !errors.Is(err, graphqlws.ErrLeft) {
			t.Errorf("ended by %v", err)
		}
		if got := <-s.closed; got != 1006 {
			t.Errorf("counted as %d", got)
		}
	})
}

func TestAClientThatAnswersPingsStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serveInBubble(t, graphqlws.Config{KeepAlive: time.Second}, newSession())
		c := s.ready(t)
		pings, answer := 0, c.PingHandler()
		c.SetPingHandler(func(text string) error {
			if err := answer(text); err != nil {
				return err
			}
			if pings++; pings == 4 { // without answers it would have been closed before the third
				c.send(`{"type":"ping"}`)
			}
			return nil
		})
		c.want(`{"type":"pong"}`)
	})
}

func TestAClientThatDoesNotReadIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		of := newSession()
		s := serveInBubble(t, graphqlws.Config{WriteTimeout: 50 * time.Millisecond}, of)
		c := s.ready(t)
		c.send(`{"id":"a","type":"subscribe","payload":{"query":"stream"}}`)
		<-of.started
		c.send(`{"id":"b","type":"subscribe","payload":{"query":"flood"}}`)
		for range 2 {
			if err := <-of.ended; !errors.Is(err, graphqlws.ErrSlow) {
				t.Errorf("ended by %v", err)
			}
		}
		if got := <-s.closed; got != 1006 {
			t.Errorf("counted as %d", got)
		}
	})
}

func TestASocketEndsWithItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		of := newSession()
		of.expires = time.Now().Add(3 * time.Second)
		s := serveInBubble(t, graphqlws.Config{}, of)
		c := s.ready(t)
		c.send(`{"id":"a","type":"subscribe","payload":{"query":"stream"}}`)
		c.want(`{"id":"a","type":"error","payload":"` + graphqlws.ErrExpired.Error() + `"}`)
		c.wantClose(4403, "expired")
	})
}

// Each ping judges the session again.
func TestASocketThatIsRefusedLaterCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		of := newSession()
		s := serveInBubble(t, graphqlws.Config{KeepAlive: time.Second}, of)
		c := s.ready(t)
		c.send(`{"id":"a","type":"subscribe","payload":{"query":"stream"}}`)
		<-of.started
		of.refused.Store(&graphqlws.Close{Code: graphqlws.CodeForbidden, Reason: "withdrawn"})
		c.want(`{"id":"a","type":"error","payload":"` + graphqlws.ErrRefused.Error() + `"}`)
		c.wantClose(4403, "withdrawn")
	})
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	of := newSession()
	s := serve(t, graphqlws.Config{}, of)
	idle, busy := s.ready(t), s.ready(t)
	busy.send(`{"id":"a","type":"subscribe","payload":{"query":"stream"}}`)
	busy.send(`{"id":"b","type":"subscribe","payload":{"query":"wait"}}`)
	<-of.started
	<-of.started
	s.Leave()
	idle.wantClose(1001, "shutting down")
	busy.want(`{"id":"a","type":"error","payload":"` + graphqlws.ErrLeaving.Error() + `"}`)
	busy.send(`{"id":"a","type":"subscribe","payload":{"query":"stream"}}`) // comes back at once: where the close leads
	busy.send(`{"type":"ping"}`)
	busy.want(`{"type":"pong"}`)
	close(of.release)
	busy.want(`{"id":"b","type":"next","payload":{}}`)
	busy.want(`{"id":"b","type":"complete"}`)
	busy.wantClose(1001, "shutting down")
	s.Wait(context.Background())
	s.dial(t, graphqlws.Subprotocol).wantClose(1001, "shutting down") // one that comes too late
}

func TestWaitCutsWhatDoesNotClose(t *testing.T) {
	t.Parallel()
	of := newSession()
	s := serve(t, graphqlws.Config{}, of)
	c := s.ready(t)
	c.send(`{"id":"a","type":"subscribe","payload":{"query":"stream"}}`)
	<-of.started
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.Wait(ctx)
	if err := <-of.ended; !errors.Is(err, graphqlws.ErrLeft) {
		t.Errorf("ended by %v", err)
	}
}

func TestAThousandDroppedSocketsLeaveNothing(t *testing.T) {
	t.Parallel()
	of := newSession()
	s := serve(t, graphqlws.Config{}, of)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 125 {
				c := s.ready(t)
				c.send(`{"id":"a","type":"subscribe","payload":{"query":"greeting"}}`)
				c.want(`{"id":"a","type":"next","payload":{}}`)
				if tcp, ok := c.NetConn().(*net.TCPConn); ok {
					_ = tcp.SetLinger(0) // a reset, as of a client that crashed
				}
				c.NetConn().Close()
			}
		})
	}
	all.Wait()
	for range 1000 {
		if err := <-of.ended; !errors.Is(err, graphqlws.ErrLeft) {
			t.Fatalf("ended by %v", err)
		}
		if code := <-s.closed; code != 1006 {
			t.Fatalf("closed with %d", code)
		}
	}
	s.Wait(context.Background())
}
