package graphqlws

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// lingering is how long a socket waits for the client's close frame behind its own.
	lingering = 5 * time.Second
	// controlTimeout is for a ping or a close frame to be written, which may wait for a message.
	controlTimeout = 5 * time.Second
	// atOnce is how many operations of one socket are executed at once, streams left out. The next message is read
	// when one of them has finished: 64 clients that send as fast as they can fit into the queue of requests.
	atOnce = 16
	// dropped is how much of a client that sends too much is read, in messages of the greatest size.
	dropped = 16
)

// socket is one connection, from its handshake to its end.
type socket struct {
	server  *Server
	conn    *websocket.Conn
	session Session
	slots   chan struct{} // has atOnce; one is taken for each operation that is executed

	writing sync.Mutex // of messages

	mu         sync.Mutex
	asked      bool // connection_init has come
	acked      bool
	operations map[string]*Operation // by id, those that may still write
	streams    int
	active     int         // goroutines of operations
	timer      *time.Timer // until connection_init has come, its deadline; then of pings
	expiry     *time.Timer // nil: none
	pinged     bool        // and no pong has come since
	leaving    *Close      // with what the socket closes when no operation is active; nil: it does not
	cause      error       // of leaving
	code       int         // sent or received; 0: none yet
	closing    bool        // a close frame was sent: what comes is dropped
	over       bool

	running sync.WaitGroup // goroutines of operations
}

func newSocket(server *Server, conn *websocket.Conn, session Session) *socket {
	s := &socket{server: server, conn: conn, session: session, slots: make(chan struct{}, atOnce)}
	conn.SetReadLimit(server.config.MaxMessage)
	pong := conn.PingHandler() // which answers one
	conn.SetPingHandler(func(text string) error {
		if s.pays() {
			return pong(text)
		}
		return nil
	})
	conn.SetPongHandler(func(string) error {
		s.mu.Lock()
		asked := s.pinged
		s.pinged = false
		s.mu.Unlock()
		if asked || s.pays() {
			s.heard()
		}
		return nil
	})
	conn.SetCloseHandler(func(code int, _ string) error {
		s.close(Close{Code: code}) // its echo, where none was sent
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(server.config.InitTimeout, s.late)
	return s
}

// run reads messages until the connection ends, and ends what the socket had. It waits in few frames: a stack of
// 8 KiB becomes one of 4 only if less than 1,248 bytes of it are in use, and here it is 1,168.
func (s *socket) run() {
	if s.conn.Subprotocol() != Subprotocol {
		s.close(Close{CodeSubprotocol, "Subprotocol not acceptable"})
	}
	for {
		kind, message, err := s.conn.NextReader()
		if err == nil {
			err = s.receive(kind, message)
		}
		if err != nil {
			s.end(err)
			return
		}
	}
}

// pays pays for a control frame as for a message of one byte. It is false where that is dropped.
func (s *socket) pays() bool {
	s.mu.Lock()
	closing := s.closing
	s.mu.Unlock()
	if closing {
		return false
	}
	by := s.session.Message()
	defer by.Release()
	paid := by.Reserve(1)
	if !paid {
		s.close(Close{CodeTryAgainLater, errTooMuch.Error()})
	}
	return paid
}

// receive reads a message, as long as it may be taken, and does what it says.
func (s *socket) receive(kind int, from io.Reader) error {
	by := s.session.Message()
	defer by.Release()
	text, err := io.ReadAll(reserving{from, by})
	switch {
	case err == errTooMuch:
		s.close(Close{CodeTryAgainLater, err.Error()})
	case err != nil:
		return err
	case s.heard():
		if refused := s.take(kind, text, by); refused != nil {
			s.close(*refused)
		}
	}
	return nil
}

// reserving reads a message that takes memory.
type reserving struct {
	io.Reader
	by Message
}

var errTooMuch = errors.New("too much is on its way: try again later")

func (r reserving) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if !r.by.Reserve(n) {
		return n, errTooMuch
	}
	return n, err
}

// heard gives the client its time to be silent anew. It is false where what comes is dropped.
func (s *socket) heard() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.acked && !s.closing {
		_ = s.conn.SetReadDeadline(time.Now().Add(s.server.config.KeepAlive * 5 / 2)) // the read fails then
	}
	return !s.closing
}

// take does what a message says, or returns why the socket is closed for it.
func (s *socket) take(kind int, text []byte, by Message) *Close {
	if kind != websocket.TextMessage {
		return invalid("messages are text")
	}
	end := by.Read(len(text))
	m, refused := read(text)
	end()
	if refused != nil {
		return refused
	}
	switch m.kind {
	case typeInit:
		return s.init(m.payload)
	case typePing:
		s.pong(m.payload)
	case typeSubscribe:
		return s.subscribe(m, by)
	case typeComplete:
		s.complete(m.id)
	}
	return nil
}

// init judges connection_init, the first of which acknowledges the connection.
func (s *socket) init(payload []byte) *Close {
	s.mu.Lock()
	again := s.asked
	s.asked = true
	s.timer.Stop() // until connection_init has come, or of a socket that closes
	s.mu.Unlock()
	if again {
		return &Close{CodeTooManyInitRequests, "Too many initialisation requests"}
	}
	expires, refused := s.session.Init(payload)
	if refused != nil {
		return refused
	}
	s.acknowledge(expires)
	s.heard()
	s.send(nil, false, []byte(`{"type":"`+typeAck+`"}`))
	return nil
}

// acknowledge begins what lasts as long as the socket: pings, and its time.
func (s *socket) acknowledge(expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked = true
	s.timer = time.AfterFunc(s.server.config.KeepAlive, s.ping)
	if !expires.IsZero() {
		s.expiry = time.AfterFunc(time.Until(expires), func() { s.leave(ErrExpired, Close{CodeForbidden, "the token has expired"}) })
	}
}

// late closes a socket whose connection_init has not come in time.
func (s *socket) late() {
	s.mu.Lock()
	asked := s.asked
	s.mu.Unlock()
	if !asked {
		s.close(Close{CodeInitTimeout, "Connection initialisation timeout"})
	}
}

// ping asks the client whether it is there. A pong gives it its time anew.
func (s *socket) ping() {
	s.mu.Lock()
	s.pinged = true
	s.mu.Unlock()
	_ = s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(controlTimeout)) // the read fails then
	if refused := s.session.Judge(); refused != nil {
		s.leave(ErrRefused, *refused)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over && !s.closing {
		s.timer.Reset(s.server.config.KeepAlive)
	}
}

func (s *socket) pong(payload []byte) {
	if payload == nil {
		s.send(nil, false, []byte(`{"type":"`+typePong+`"}`))
		return
	}
	s.send(nil, false, []byte(`{"type":"`+typePong+`","payload":`), payload, []byte(`}`))
}

// subscribe starts an operation, when there is a place for it.
func (s *socket) subscribe(m message, by Message) *Close {
	s.mu.Lock()
	acked, taken := s.acked, s.operations[m.id] != nil
	s.mu.Unlock()
	switch {
	case !acked:
		return &Close{CodeUnauthorized, "Unauthorized"}
	case taken:
		return &Close{CodeSubscriberExists, "Subscriber for " + m.id + " already exists"}
	}
	if refused := s.session.Judge(); refused != nil {
		s.leave(ErrRefused, *refused)
		return nil
	}
	run, err := by.Operation(m.payload)
	if err != nil {
		return invalid(err.Error())
	}
	s.slots <- struct{}{} // it does not take long: those that have one have a deadline
	s.start(m.id, run)
	return nil
}

// start runs an operation, but not on a socket that is to close: a client that tries again at each error would keep it
// open. The close frame says that the operation was not executed.
func (s *socket) start(id string, run Runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving != nil || s.closing || s.over {
		<-s.slots
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	o := &Operation{socket: s, id: id, runner: run, ctx: ctx, cancel: cancel}
	if s.operations == nil {
		s.operations = map[string]*Operation{}
	}
	s.operations[id] = o
	s.active++
	s.running.Add(1)
	go o.run()
}

// finished ends what an operation had.
func (s *socket) finished(o *Operation) {
	o.cancel(nil)
	s.mu.Lock()
	s.forget(o)
	if !o.stream {
		<-s.slots
	}
	s.active--
	leaving := s.leaving
	idle := s.active == 0
	s.mu.Unlock()
	defer s.running.Done()
	if leaving != nil && idle {
		s.close(*leaving)
	}
}

// forget frees an operation's id, and its place among the streams. It writes nothing any more.
func (s *socket) forget(o *Operation) {
	if s.operations[o.id] != o {
		return
	}
	delete(s.operations, o.id)
	if o.stream {
		s.streams--
	}
}

// complete ends an operation as the client wishes, of which nothing is written any more.
func (s *socket) complete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.operations[id]; o != nil {
		s.forget(o)
		o.cancel(ErrCompleted)
	}
}

// leave ends the streams, and closes the socket when nothing is active any more.
func (s *socket) leave(cause error, c Close) {
	s.mu.Lock()
	if s.leaving == nil {
		s.leaving, s.cause = &c, cause
	}
	for _, o := range s.operations {
		if o.stream {
			o.cancel(cause)
		}
	}
	idle := s.active == 0
	s.mu.Unlock()
	if idle {
		s.close(c)
	}
}

// close sends a close frame, after which nothing is written, and what is read is dropped.
func (s *socket) close(c Close) {
	s.mu.Lock()
	if s.closing || s.over {
		s.mu.Unlock()
		return
	}
	s.closing = true
	if s.code == 0 {
		s.code = c.Code
	}
	s.timer.Stop()
	s.cancelAll(ErrLeft)
	_ = s.conn.SetReadDeadline(time.Now().Add(lingering)) // the read fails then
	s.mu.Unlock()
	if s.conn.WriteControl(websocket.CloseMessage, c.frame(), time.Now().Add(controlTimeout)) != nil {
		_ = s.conn.NetConn().Close() // the read fails then
	}
}

func (s *socket) cancelAll(cause error) {
	for _, o := range s.operations {
		o.cancel(cause)
	}
	s.operations = nil
}

// cut ends the connection without a word, in the middle of a message perhaps.
func (s *socket) cut(cause error) {
	s.mu.Lock()
	s.cancelAll(cause)
	s.mu.Unlock()
	_ = s.conn.NetConn().Close() // the read fails then
}

// end ends what the socket had when no more can be read.
func (s *socket) end(err error) {
	s.mu.Lock()
	s.over = true
	s.timer.Stop()
	if s.expiry != nil {
		s.expiry.Stop()
	}
	s.cancelAll(ErrLeft)
	code := s.code
	s.mu.Unlock()
	if errors.Is(err, websocket.ErrReadLimit) {
		code = CodeTooLarge // the library has said so
		s.drop()
	}
	if code == 0 {
		code = CodeLost
	}
	_ = s.conn.Close()
	s.running.Wait()
	s.server.closed(s, code)
}

// drop reads what the client still sends when the library reads no more: a connection that is closed before is reset,
// and the client may not see the close frame.
func (s *socket) drop() {
	conn := s.conn.NetConn()
	_ = conn.SetReadDeadline(time.Now().Add(lingering)) // the read fails then
	_, _ = io.Copy(io.Discard, io.LimitReader(conn, dropped*s.server.config.MaxMessage))
}

// send writes a message of pieces, an operation's or, where that is nil, the socket's. With
// last it is the operation's last one. It reports whether the message was written.
func (s *socket) send(o *Operation, last bool, pieces ...[]byte) bool {
	s.writing.Lock()
	defer s.writing.Unlock()
	if o != nil && !s.holds(o, last) {
		return false
	}
	err := s.write(pieces)
	switch {
	case err == nil:
		return true
	case isTimeout(err):
		s.cut(ErrSlow)
	default:
		s.cut(ErrLeft)
	}
	return false
}

// isTimeout reports whether a write was late. The library hides which error that was.
func isTimeout(err error) bool {
	var of net.Error
	return errors.As(err, &of) && of.Timeout()
}

// holds reports whether an operation may still write; after its last message it may not.
func (s *socket) holds(o *Operation, last bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.operations[o.id] != o {
		return false
	}
	if last {
		s.forget(o)
	}
	return true
}

func (s *socket) write(pieces [][]byte) error {
	_ = s.conn.SetWriteDeadline(time.Now().Add(s.server.config.WriteTimeout)) // it never fails
	w, err := s.conn.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for _, piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return w.Close()
}
