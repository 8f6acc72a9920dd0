package plan

import (
	"sync"
	"sync/atomic"
	"time"
)

// Turns let so many goroutines at a time write answers that are large. A server gives fewer than it
// has processors: one is left for requests that take little, which else wait behind every goroutine
// that has something to write, for as long as the runtime lets each run, ten milliseconds.
//
// A client's large answers are made one after the other, or where there are many processors a few at a time.
// So what it asks for at once is not held in memory at once.
//
//	one answer       reads ∥ reads ∥ reads …             any number
//	                 the first 256 KiB                   any number
//	                 ├─ row ─┼─ row ─┤       ├─ row ─┤   one of its goroutines at a time
//	another client's         waits   ├─ row ─┤       ├─  in turn with it
//	the same one's           waits                       until it is made
//
// A goroutine has no turn while it reads, or waits for others.
type Turns struct {
	slots     chan struct{}
	ofAClient int

	mu      sync.Mutex
	clients map[any]*client
}

// client is one that makes large answers.
type client struct {
	slots chan struct{}
	users int // of slots, those that wait included
}

// NewTurns returns turns for so many at a time, and so many answers of one client.
func NewTurns(n, ofAClient int) *Turns {
	return &Turns{slots: make(chan struct{}, n), ofAClient: ofAClient, clients: map[any]*client{}}
}

const (
	// large is from how many bytes on an answer is written in turns. The largest page that a person is
	// shown has less.
	large = 256 << 10

	// aTurn is how much is written, in bytes, before it is another answer's turn: about a
	// millisecond, of fields that are short.
	aTurn = 64 << 10

	// mostPatience is after what time an answer goes on without a turn. The one that has it waits for
	// something itself, then, which [Enter] did not foresee.
	mostPatience = 100 * time.Millisecond
)

// Limit is what an answer may take while it is made. It is safe for concurrent use, and not changed
// after its first use.
type Limit struct {
	// Spend is told how many bytes were written, and reports whether more may be; after it has said no, the
	// answer has holes and is to be thrown away. Nil: any size.
	Spend func(bytes int) bool

	Turns  *Turns          // nil: it is written by any number
	Whole  bool            // in turns from its beginning, what its resolvers do included: they don't wait, they work
	Beside int             // how many rows of one list are written at the same time; 0, or more than 32: 32
	Client any             // whose answer it is, a value that can be compared
	Ended  <-chan struct{} // closed when the answer is late; nil: never

	written atomic.Int64
	first   sync.Once
	own     chan struct{} // taken by the goroutine that has the answer's turn; after first
	end     func()        // gives back what the client has; after first
}

// spend takes bytes that were written from what the answer may have.
func (l *Limit) spend(bytes int) bool {
	l.written.Add(int64(bytes))
	return l.Spend == nil || l.Spend(bytes)
}

// beside is how many rows of one list are written at the same time.
func (l *Limit) beside() int {
	if l == nil || l.Beside == 0 {
		return maxBeside
	}
	return min(l.Beside, maxBeside)
}

// begin waits until the client may have one more large answer.
func (l *Limit) begin() {
	l.own, l.end = make(chan struct{}, 1), l.Turns.enter(l.Client, l.Ended)
}

// End is called when the answer is made.
func (l *Limit) End() {
	if l.end != nil {
		l.end()
	}
}

// enter takes a slot of a client, which leave gives back, or none where that ends before.
func (t *Turns) enter(key any, ended <-chan struct{}) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.clients[key]
	if c == nil {
		c = &client{slots: make(chan struct{}, t.ofAClient)}
		t.clients[key] = c
	}
	c.users++
	t.mu.Unlock()
	defer t.mu.Lock()
	select {
	case c.slots <- struct{}{}:
		return func() { <-c.slots; t.forget(key, c) }
	case <-ended:
		t.forget(key, c)
		return func() {}
	}
}

func (t *Turns) forget(key any, c *client) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.users--; c.users == 0 {
		delete(t.clients, key)
	}
}

// turn is what a goroutine has of its answer's limit.
type turn struct {
	begun bool
	slot  bool // of those that all answers share
	bytes int  // that were written in it
}

// take takes a turn for what is written next, where the answer is large; one in which enough was written
// is given back before.
func (t *turn) take(of *Limit, written int) {
	if of.Turns == nil || !of.Whole && of.written.Load() < large {
		return
	}
	if t.bytes += max(written, 0); t.begun && t.bytes < aTurn {
		return
	}
	if !t.begun {
		of.first.Do(of.begin)
		of.own <- struct{}{}
	}
	if t.slot {
		<-of.Turns.slots
	}
	*t = turn{begun: true, slot: of.Turns.wait()}
}

// leave ends the turn.
func (t *turn) leave(of *Limit) {
	if t.slot {
		<-of.Turns.slots
	}
	<-of.own
	*t = turn{}
}

// wait takes a slot, in the order in which goroutines come. It is false where that takes too long.
func (t *Turns) wait() bool {
	select {
	case t.slots <- struct{}{}:
		return true
	default:
	}
	patience := time.NewTimer(mostPatience)
	defer patience.Stop()
	select {
	case t.slots <- struct{}{}:
		return true
	case <-patience.C:
		return false
	}
}
