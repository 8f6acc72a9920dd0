package graphqlws

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Why operations end before they have finished: causes of their contexts.
var (
	ErrCompleted = errors.New("the client has completed the operation")
	ErrLeft      = errors.New("the client has left")
	ErrSlow      = errors.New("the client does not read what it is sent")
	ErrExpired   = errors.New("the socket's time is over")
	ErrRefused   = errors.New("what the socket was opened with is taken no more")
	ErrLeaving   = errors.New("the server is shutting down")
)

// Session is what a socket is opened for: the side that knows GraphQL. Its methods but Judge are called one after the
// other.
type Session interface {
	// Closed is called last, with the code that was sent or received, [CodeLost] where there was none.
	Closed(code int)
	// Init judges the payload of connection_init, a JSON object or nil. It returns when the session ends, zero: it does
	// not, or why the socket is closed instead.
	Init(payload []byte) (expires time.Time, refused *Close)
	// Judge judges the token anew, before each operation and with each ping. It returns why the socket is closed; nil:
	// it is not.
	Judge() *Close
	// Message begins a message, or a control frame, which may come amid a message.
	Message() Message
}

// Message is one that comes, from its first bytes until it was taken, with what it takes of what others want, too.
type Message interface {
	Reserve(bytes int) bool      // of memory, and of what its client may send; false: there is none, and the socket closes
	Read(bytes int) (end func()) // waits until so many may be read
	// Operation reads the payload of subscribe, a JSON object. An error closes the socket.
	Operation(payload []byte) (Runner, error)
	Release()
}

// Runner answers an operation, in a goroutine of its own.
type Runner interface {
	// Begin executes the operation, or opens its stream, and returns what answers. The context ends when no answer is
	// wanted any more, and its cause is one of the errors above.
	Begin(context.Context, *Operation) (answer func())
	// End is called last, with what one of the two panicked with, or nil.
	End(panicked any)
}

// Config is what a [Server] is made with.
type Config struct {
	MaxMessage   int64         // bytes of a client's
	MaxStreams   int           // of one socket at once; 0: any number
	InitTimeout  time.Duration // for connection_init to come; default 10 s
	KeepAlive    time.Duration // between two pings; a client that is silent for two of them and a half is gone; default 25 s
	WriteTimeout time.Duration // for a message to be taken; default 30 s
}

// WithDefaults returns the configuration with its defaults in place of zeros.
func (c Config) WithDefaults() Config {
	c.InitTimeout = cmp.Or(c.InitTimeout, 10*time.Second)
	c.KeepAlive = cmp.Or(c.KeepAlive, 25*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 30*time.Second)
	return c
}

// Server is the sockets of one server. Make it with [New].
type Server struct {
	config   Config
	upgrader websocket.Upgrader

	mu      sync.Mutex
	sockets map[*socket]struct{}
	leaving bool
	running sync.WaitGroup
}

// The sizes of buffers, in bytes: of each socket's own for reading, past which longer messages are read, and of those
// in a pool for writing.
const (
	readBuffer  = 256
	writeBuffer = 4 << 10
)

// New returns a server without sockets.
func New(c Config) *Server {
	c = c.WithDefaults()
	return &Server{
		config: c, sockets: map[*socket]struct{}{},
		upgrader: websocket.Upgrader{
			HandshakeTimeout: c.InitTimeout, Subprotocols: []string{Subprotocol},
			ReadBufferSize: readBuffer, WriteBufferSize: writeBuffer, WriteBufferPool: &sync.Pool{},
			CheckOrigin: func(*http.Request) bool { return true }, // the caller has checked it
		},
	}
}

// IsHandshake reports whether a request asks for a WebSocket.
func IsHandshake(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// Open makes a socket of a request, for a session. Where that can't be, refused answers the request with the reason.
func (s *Server) Open(w http.ResponseWriter, r *http.Request, session Session, refused func(status int, err error)) (opened bool) {
	upgrader := s.upgrader
	upgrader.Error = func(_ http.ResponseWriter, _ *http.Request, status int, err error) { refused(status, err) }
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return false // refused has answered, or the client has left
	}
	c := newSocket(s, conn, session)
	if !s.add(c) {
		c.close(goingAway)
	}
	go c.run() // with nothing between: see [socket.run]
	return true
}

var goingAway = Close{CodeGoingAway, "the server is shutting down"}

// add reports whether the server still takes sockets.
func (s *Server) add(c *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running.Add(1)
	s.sockets[c] = struct{}{}
	return !s.leaving
}

// closed counts a socket off that was closed with a code.
func (s *Server) closed(c *socket, code int) {
	s.mu.Lock()
	delete(s.sockets, c)
	s.mu.Unlock()
	c.session.Closed(code)
	s.running.Done()
}

func (s *Server) all() []*socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.sockets))
}

// Leave ends all streams with [ErrLeaving], and has each socket close when its operations have finished.
func (s *Server) Leave() {
	s.mu.Lock()
	s.leaving = true
	s.mu.Unlock()
	for _, c := range s.all() {
		c.leave(ErrLeaving, goingAway)
	}
}

// Wait returns when all sockets are closed. Those that are not when ctx ends are cut.
func (s *Server) Wait(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		for _, c := range s.all() {
			c.cut(ErrLeft)
		}
	})
	defer stop()
	s.running.Wait()
}
