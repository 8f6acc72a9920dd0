package faultproxy

import (
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Direction is one of the two of a line.
type Direction int

// The two directions.
const (
	ToNode Direction = iota
	ToServer
)

// Line is the way to one node. What is set applies to the connections that are open
// and to those to come.
type Line struct {
	proxy    *Proxy
	index    int
	node     string
	listener net.Listener

	mu          sync.Mutex
	connections map[*connection]bool
	refusing    bool
	losing      bool
	statements  int
	ways        [2]way
}

// way is how bytes go in one direction.
type way struct {
	flowing chan struct{} // closed while they flow
	delay   time.Duration
	jitter  time.Duration
}

func newLine(p *Proxy, index int, node string, listener net.Listener) *Line {
	l := &Line{proxy: p, index: index, node: node, listener: listener, connections: map[*connection]bool{}}
	for d := range l.ways {
		l.ways[d].flowing = make(chan struct{})
		close(l.ways[d].flowing)
	}
	return l
}

// Stall stops the bytes in some directions: connections stay open, new ones come
// about, and nothing arrives.
func (l *Line) Stall(directions ...Direction) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range directions {
		if l.flows(d) {
			l.ways[d].flowing = make(chan struct{})
		}
	}
}

// Flow ends a stall in both directions: what waited arrives.
func (l *Line) Flow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for d := range l.ways {
		if !l.flows(Direction(d)) {
			close(l.ways[d].flowing)
		}
	}
}

func (l *Line) flows(d Direction) bool {
	select {
	case <-l.ways[d].flowing:
		return true
	default:
		return false
	}
}

// Delay has each message of a direction arrive so much later, and up to jitter more. A
// connection keeps their order.
func (l *Line) Delay(d Direction, delay, jitter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ways[d].delay, l.ways[d].jitter = delay, jitter
}

// Cut ends every open connection.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.connections {
		c.cut()
	}
}

// Refuse says whether new connections are refused.
func (l *Line) Refuse(refusing bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusing = refusing
}

// LoseAnswers says whether the nodes' answers to statements are lost. A connection is
// cut with its first.
func (l *Line) LoseAnswers(losing bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losing = losing
}

// Statements returns how many statements of the server came by.
func (l *Line) Statements() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.statements
}

func (l *Line) count() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.statements++
}

func (l *Line) loses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.losing
}

// due is when a message of now is to arrive.
func (l *Line) due(d Direction) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := time.Now().Add(l.ways[d].delay)
	if l.ways[d].jitter > 0 {
		at = at.Add(rand.N(l.ways[d].jitter))
	}
	return at
}

func (l *Line) gate(d Direction) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ways[d].flowing
}

func (l *Line) accept() {
	for {
		server, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.proxy.running.Go(func() { l.serve(server) })
	}
}

// serve connects a server with the node, or refuses to.
func (l *Line) serve(server net.Conn) {
	defer server.Close()
	l.mu.Lock()
	refusing := l.refusing
	l.mu.Unlock()
	if refusing {
		return
	}
	node, err := net.DialTimeout("tcp", l.node, dialLimit)
	if err != nil {
		return
	}
	c := newConnection(l, server, node)
	if !l.add(c) {
		node.Close()
		return
	}
	c.run()
	l.remove(c)
}

// dialLimit is how long a node may take to accept.
const dialLimit = 5 * time.Second

// add reports false where connections are refused by now.
func (l *Line) add(c *connection) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.refusing {
		l.connections[c] = true
	}
	return !l.refusing
}

// uncut returns how many connections are not cut.
func (l *Line) uncut() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.connections {
		select {
		case <-c.ended:
		default:
			n++
		}
	}
	return n
}

func (l *Line) remove(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.connections, c)
}
