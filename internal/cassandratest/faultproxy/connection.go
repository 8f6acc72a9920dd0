package faultproxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// connection is one of a server with a node. Four goroutines carry it: in each
// direction one that reads and judges, and one that waits and writes.
type connection struct {
	line         *Line
	server, node net.Conn
	ended        chan struct{} // closed when it is cut
	cutting      sync.Once

	mu     sync.Mutex
	asked  map[uint16]asked // by stream, until it is answered
	late   frame            // kept for later
	answer chan struct{}    // closed with the answer to late
}

// asked is a request on its way.
type asked struct {
	Request
	fault Fault
}

// queued is a frame that is to arrive.
type queued struct {
	frame
	due time.Time
}

// queue is how many frames may wait in one direction before its reader waits too.
const queue = 256

func newConnection(l *Line, server, node net.Conn) *connection {
	return &connection{line: l, server: server, node: node, ended: make(chan struct{}), asked: map[uint16]asked{}}
}

// run returns when the connection is cut and nothing of it is left. The end towards the
// node stays open for a request that is late.
func (c *connection) run() {
	var carriers sync.WaitGroup
	requests, answers := make(chan queued, queue), make(chan queued, queue)
	carriers.Go(func() { c.read(c.server, ToNode, requests, c.request) })
	carriers.Go(func() { c.write(c.node, ToNode, requests) })
	carriers.Go(func() { c.read(c.node, ToServer, answers, c.answered) })
	carriers.Go(func() { c.write(c.server, ToServer, answers) })
	carriers.Wait()
	c.node.Close()
}

// cut ends the server's side, and the node's unless a request is late.
func (c *connection) cut() {
	c.cutting.Do(func() {
		close(c.ended)
		c.server.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.late == nil {
			c.node.Close()
		}
	})
}

// read takes frames from one side and has them sent on where judge says so.
func (c *connection) read(from net.Conn, d Direction, to chan<- queued, judge func(frame) (frame, bool)) {
	defer c.cut()
	in := bufio.NewReader(from)
	for {
		f, err := readFrame(in)
		if err != nil {
			if !errors.Is(err, net.ErrClosed) && !errors.Is(err, io.EOF) && !isReset(err) {
				c.line.proxy.misunderstood(err)
			}
			return
		}
		f, pass := judge(f)
		if !pass {
			continue
		}
		select {
		case to <- queued{f, c.line.due(d)}:
		case <-c.ended:
			if d == ToNode {
				return // the node's answers are read to the end, for a late one's
			}
		}
	}
}

func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.ErrUnexpectedEOF)
}

// write sends frames on when they are due and the line flows.
func (c *connection) write(to net.Conn, d Direction, from <-chan queued) {
	for {
		select {
		case q := <-from:
			if !c.await(q.due, d) {
				return
			}
			if _, err := to.Write(q.frame); err != nil {
				c.cut()
				return
			}
		case <-c.ended:
			return
		}
	}
}

// await waits until a frame is due and the line flows. It reports false where the
// connection ends before.
func (c *connection) await(due time.Time, d Direction) bool {
	if pause := time.Until(due); pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-c.ended:
			return false
		}
	}
	select {
	case <-c.line.gate(d):
		return true
	case <-c.ended:
		return false
	}
}

// request judges a request, and reports whether it is to pass.
func (c *connection) request(f frame) (frame, bool) {
	r, fault := c.line.proxy.judge(c.line.index, f)
	if r.IsStatement() {
		c.line.count()
	}
	switch fault {
	case Fail:
		c.cut()
		return nil, false
	case DieBefore:
		c.line.proxy.Die()
		return nil, false
	case Late:
		if c.keep(f) {
			c.line.proxy.hold(c)
		}
		c.cut()
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[f.stream()] = asked{r, fault}
	return f, true
}

// keep keeps a request for later. It reports false where the connection was cut before, or
// keeps one: such a request is lost with the connection.
func (c *connection) keep(f frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.ended:
		return false
	default:
		c.late, c.answer = f, make(chan struct{})
		return true
	}
}

// answered judges what a node says, and reports whether it is to pass.
func (c *connection) answered(f frame) (frame, bool) {
	c.mu.Lock()
	of, known := c.asked[f.stream()]
	delete(c.asked, f.stream())
	isLate := c.answer != nil && f.stream() == c.late.stream() && !known
	c.mu.Unlock()
	switch {
	case isLate:
		close(c.answer)
		c.node.Close()
		return nil, false
	case f.opcode() == opEvent:
		return c.line.proxy.disguise(f), true
	case of.opcode == opPrepare:
		if id, ok := f.preparedID(); ok {
			c.line.proxy.learn(id, of.CQL[0])
		}
	case of.ofSystem():
		return c.line.proxy.disguise(f), true
	case of.fault == LoseAnswer, of.IsStatement() && c.line.loses():
		c.cut()
		return nil, false
	case of.fault == DieAfter:
		c.line.proxy.Die()
		return nil, false
	}
	return f, true
}

// release sends the request that is late and returns when it is answered, or its
// connection has failed.
func (c *connection) release() {
	if _, err := c.node.Write(c.late); err != nil {
		c.line.proxy.misunderstood(err)
		c.node.Close()
		return
	}
	select {
	case <-c.answer:
	case <-time.After(answerLimit):
		c.line.proxy.misunderstood(errors.New("faultproxy: a node does not answer a late request"))
		c.node.Close()
	}
}

// answerLimit is how long a node may take to answer a late request.
const answerLimit = 30 * time.Second
