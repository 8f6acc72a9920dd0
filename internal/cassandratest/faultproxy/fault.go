package faultproxy

import (
	"sync"
)

// Fault is what becomes of one request.
type Fault int

const (
	// None lets it pass.
	None Fault = iota
	// Fail cuts the connection; the node hears nothing of the request.
	Fail
	// LoseAnswer cuts the connection when the node's answer is there, which
	// no caller sees.
	LoseAnswer
	// Late cuts the connection and keeps the request for [Proxy.Release]. It is
	// as if it had waited in a queue on its way.
	Late
	// DieBefore is [Proxy.Die] instead of the request, DieAfter is that when the
	// node's answer is there: the server's process has ended.
	DieBefore
	DieAfter
)

// Faults are all but None.
var Faults = []Fault{Fail, LoseAnswer, Late, DieBefore, DieAfter}

func (f Fault) String() string {
	return [...]string{"passes", "fails before it arrives", "is applied and its answer lost", "arrives late", "never leaves, for the server dies", "is applied, and the server dies"}[f]
}

// Kills reports whether the server is dead after it.
func (f Fault) Kills() bool { return f == DieBefore || f == DieAfter }

// Rule says what becomes of each request. It is called for one at a time.
type Rule func(Request) Fault

// Strike is a rule that breaks one statement.
type Strike struct {
	mu    sync.Mutex
	left  int
	fault Fault
	match func(Request) bool
	seen  int
	hit   *Request
	done  chan struct{}
}

// Strike has the k-th statement from now, from 1, suffer a fault; of those that match
// says yes to, if it is not nil. A strike takes the place of the one before, and of any
// rule.
func (p *Proxy) Strike(k int, fault Fault, match func(Request) bool) *Strike {
	s := &Strike{left: k, fault: fault, match: match, done: make(chan struct{})}
	p.SetRule(s.rule)
	return s
}

func (s *Strike) rule(r Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.IsStatement() || s.match != nil && !s.match(r) {
		return None
	}
	s.seen++
	if s.left--; s.left != 0 {
		return None
	}
	s.hit = &r
	close(s.done)
	return s.fault
}

// Hit returns the statement that was broken, false where none was so far.
func (s *Strike) Hit() (r Request, hit bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hit == nil {
		return Request{}, false
	}
	return *s.hit, true
}

// Done is closed when the statement is met.
func (s *Strike) Done() <-chan struct{} { return s.done }

// Seen returns how many statements passed or were broken.
func (s *Strike) Seen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}
