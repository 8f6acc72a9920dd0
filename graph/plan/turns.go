package plan

import (
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/internal/pace"
)

// Limit is what an answer may take while it is made. It is safe for concurrent use, and not changed
// after its first use.
//
// Goroutines take turns to write answers that are large, and to do other work that takes a processor for
// a millisecond or more. A server gives fewer than it has processors: one is left for requests that take little, which else wait behind every goroutine
// that has something to write, for as long as the runtime lets each run, ten milliseconds.
//
// A client's large answers are made one after the other from their first 256 KiB on, or where there are many processors a few
// at a time. So what it asks for at once is not held in memory at once.
//
//	one answer       reads ∥ reads ∥ reads …             any number
//	                 the first 256 KiB                   any number, unless it is known to be large
//	                 ├─ row ─┼─ row ─┤       ├─ row ─┤   one of its goroutines at a time
//	another client's         waits   ├─ row ─┤       ├─  in turn with it
//	the same one's           waits                       until it is made
//
// A goroutine has no turn while it reads, or waits for others.
type Limit struct {
	Size   Size            // nil: any
	Turns  pace.Places     // nil: it is written by any number
	Large  bool            // it is known to be: it is written in turns from its beginning
	Whole  bool            // so it is, and what its resolvers do is done in turns, too: they don't wait, they work
	Beside int             // how many rows of one list are read or written at the same time; 0, or more than 32: 32
	Making pace.Places     // of its client, for answers that may fill memory at a time
	Ended  <-chan struct{} // closed when the answer is late; nil: never

	plan    *Plan    // that the answer is made by; nil: none
	asked   sync.Map // see Asked
	written atomic.Int64
	begun   sync.Once
	own     pace.Places // for the goroutine that has the answer's turn; after begun
	first   sync.Once
	placed  bool // it has one of Making; after first
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

// Size bounds how long an answer is.
type Size interface {
	// Spend counts bytes that were written, and reports whether more may be; once it is false the answer has holes and is
	// to be thrown away.
	Spend(bytes int) bool
}

// Asked keeps what resolvers find out of the operation, as far as its variables decide what is skipped, and no more.
// All answers that a plan makes share it.
func (l *Limit) Asked() *sync.Map {
	if l.plan == nil {
		return &l.asked
	}
	return &l.plan.asked
}

// spend takes bytes that were written from what the answer may have.
func (l *Limit) spend(bytes int) bool {
	l.written.Add(int64(bytes))
	return l.Size == nil || l.Size.Spend(bytes)
}

// beside is how many rows of one list are read or written at the same time.
func (l *Limit) beside() int {
	if l == nil || l.Beside == 0 {
		return maxBeside
	}
	return min(l.Beside, maxBeside)
}

// fills reports whether the answer takes memory that its client may have for few answers at a time.
func (l *Limit) fills() bool { return l.Whole || l.written.Load() >= large }

// inTurns reports whether the answer is written in turns.
func (l *Limit) inTurns() bool {
	if l.Turns == nil || !l.Large && !l.fills() {
		return false
	}
	l.begun.Do(func() { l.own = pace.NewPlaces(1) })
	return true
}

// End is called when the answer is made.
func (l *Limit) End() {
	if l.placed {
		l.Making.Leave()
	}
}

// turn is what a goroutine has of its answer's limit.
type turn struct {
	begun   bool
	filling bool // its answer has begun to fill memory
	slot    bool // of those that all answers share
	bytes   int  // that were written in it
}

// take takes a turn for what is written next, where the answer is large; one in which enough was written
// is given back before.
func (t *turn) take(of *Limit, written int) {
	if !of.inTurns() {
		return
	}
	if !t.filling && of.fills() {
		if t.begun {
			t.leave(of) // others go on while the client's answer before is made
		}
		of.first.Do(func() { of.placed = of.Making.Take(of.Ended, 0) })
		t.filling = true
	}
	if t.bytes += max(written, 0); t.begun && t.bytes < aTurn {
		return
	}
	if !t.begun {
		of.own.Take(nil, 0)
	}
	if t.slot {
		of.Turns.Leave()
	}
	*t = turn{begun: true, filling: t.filling, slot: of.Turns.Take(nil, mostPatience)}
}

// leave ends the turn.
func (t *turn) leave(of *Limit) {
	if t.slot {
		of.Turns.Leave()
	}
	of.own.Leave()
	*t = turn{}
}
