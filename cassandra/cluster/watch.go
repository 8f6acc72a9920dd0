package cluster

import (
	"context"
	"encoding/binary"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// A node that hangs keeps its connections and answers nothing. It is judged by the others, at each beat: where this
// process or the whole network was held up none answers, and none is blamed. A node is its address: the driver knows
// one by two hosts, of which its control connection has the configuration's.
//
//	node 1   ─┬── answer ─┬── answer ─┬── answer ─┬─ … ─┬───────────┬──▶
//	node 2   ─┴─ request ─┴─ silent ──┴─ silent ──┴─ … ─┴─ silent ──┴──▶
//	                                     it is          is it        its connections are closed,
//	                                     asked last     only slow?   and the driver makes others
const (
	beat         = 100 * time.Millisecond
	suspectAfter = 3  // silent beats
	probedAfter  = 10 // silent beats
	probe        = time.Second
)

// Watch knows which nodes of a cluster answer. It is safe for concurrent use.
type Watch struct {
	log      *slog.Logger
	dialer   gocql.HostDialer
	suspects atomic.Bool // there are some

	mu      sync.Mutex
	nodes   map[string]*node // by address
	beating bool             // as long as there are connections
}

type node struct {
	host   *gocql.HostInfo
	member bool // of the cluster; else an address that only the configuration has
	lines  map[*line]bool
	up     bool
	silent int   // beats
	closed int64 // connections, because it hung
}

// Report adds the cluster's nodes.
func (w *Watch) Report(u *blog.Upkeep) {
	w.mu.Lock()
	defer w.mu.Unlock()
	u.Nodes = map[string]blog.Node{}
	for address, n := range w.nodes {
		if n.member {
			u.Nodes[address] = blog.Node{Up: n.up, Hung: n.closed}
		}
	}
}

// at returns what is known of a node. w.mu is held.
func (w *Watch) at(host *gocql.HostInfo) *node {
	address := host.ConnectAddressAndPort()
	if w.nodes[address] == nil {
		w.nodes[address] = &node{host: host, lines: map[*line]bool{}}
	}
	return w.nodes[address]
}

func (w *Watch) beat() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beating = false
	silent, well := []*node(nil), false
	for _, n := range w.nodes {
		owes, answered := false, false
		n.up = false
		for l := range n.lines {
			w.beating = true
			if answers := l.answers.Load(); answers > 0 { // else the driver is connecting
				n.up, owes, answered = true, owes || l.requests.Load() > answers, answered || answers > l.before
				l.before = answers
			}
		}
		if owes && !answered {
			silent = append(silent, n)
		} else {
			n.silent, well = 0, well || n.up && n.member
		}
	}
	suspects := false
	for _, n := range silent {
		if well {
			n.silent++
		}
		if n.silent == probedAfter {
			go w.probe(n)
		}
		n.up = n.silent < suspectAfter
		suspects = suspects || !n.up
	}
	if w.suspects.Store(suspects); w.beating {
		time.AfterFunc(beat, w.beat)
	}
}

// probe asks a node, on a connection of its own, for what it answers whatever else it does: a statement that takes long
// may be all that it was asked lately. If there is no answer its connections are closed.
func (w *Watch) probe(n *node) {
	ctx, cancel := context.WithTimeout(context.Background(), probe)
	defer cancel()
	dialed, err := w.dialer.DialHost(ctx, n.host)
	if err == nil {
		context.AfterFunc(ctx, func() { dialed.Conn.Close() })                   // also at the end
		_, _ = dialed.Conn.Write([]byte("\x04\x00\x00\x00\x05\x00\x00\x00\x00")) // OPTIONS
		_, err = dialed.Conn.Read(make([]byte, 1))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil || n.silent < probedAfter {
		n.silent = 0
		return
	}
	w.log.Warn("a Cassandra node does not answer while others do: its connections are closed", "node", n.host.ConnectAddressAndPort())
	for l := range n.lines {
		n.closed++
		go l.Close()
	}
}

// line is a connection that counts requests and answers.
type line struct {
	net.Conn
	watch             *Watch
	node              *node
	requests, answers atomic.Int64
	before            int64 // answers, at the last beat; watch.mu is held

	// The frame that is being read.
	head [9]byte
	have int    // of the head
	body uint32 // that is to come
}

// Write is called for each request.
func (l *line) Write(request []byte) (int, error) {
	l.requests.Add(1)
	return l.Conn.Write(request)
}

// Read counts answers. Frames of negative streams, which are events, are none.
func (l *line) Read(into []byte) (int, error) {
	n, err := l.Conn.Read(into)
	for rest := into[:n]; len(rest) > 0; {
		skipped := min(l.body, uint32(len(rest)))
		l.body, rest = l.body-skipped, rest[skipped:]
		taken := 0
		if l.body == 0 {
			taken = copy(l.head[l.have:], rest)
		}
		if l.have, rest = l.have+taken, rest[taken:]; l.have == len(l.head) {
			l.have, l.body = 0, binary.BigEndian.Uint32(l.head[5:])
			if l.head[2] < 0x80 {
				l.answers.Add(1)
			}
		}
	}
	return n, err
}

// Close ends the connection.
func (l *line) Close() error {
	l.watch.mu.Lock()
	delete(l.node.lines, l)
	l.watch.mu.Unlock()
	return l.Conn.Close()
}

// DialHost is a method of [gocql.HostDialer].
func (w *Watch) DialHost(ctx context.Context, host *gocql.HostInfo) (*gocql.DialedHost, error) {
	dialed, err := w.dialer.DialHost(ctx, host)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &line{Conn: dialed.Conn, watch: w, node: w.at(host)}
	dialed.Conn, l.node.lines[l] = l, true
	if !w.beating {
		w.beating = true
		time.AfterFunc(beat, w.beat)
	}
	return dialed, nil
}

// choice asks suspects after all others. Of the attempts at one read each asks a node of its own.
type choice struct {
	gocql.HostSelectionPolicy
	watch *Watch
}

// Pick is a method of [gocql.HostSelectionPolicy].
func (c choice) Pick(q gocql.ExecutableQuery) gocql.NextHost {
	next := c.HostSelectionPolicy.Pick(q)
	var attempts *cql.Attempts
	if read, is := q.(*gocql.Query); is {
		attempts, _ = read.Context().(*cql.Attempts)
	}
	var last []gocql.SelectedHost
	return func() gocql.SelectedHost {
		for {
			host := next()
			switch {
			case host != nil && c.suspect(host.Info()):
				last = append(last, host)
				continue
			case host == nil && len(last) > 0:
				host, last = last[0], last[1:]
			}
			if host == nil || attempts.Claim(host.Info()) {
				return host
			}
		}
	}
}

func (c choice) suspect(host *gocql.HostInfo) bool {
	if !c.watch.suspects.Load() {
		return false
	}
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	return c.watch.at(host).silent >= suspectAfter
}

// AddHost is a method of [gocql.HostSelectionPolicy].
func (c choice) AddHost(host *gocql.HostInfo) {
	c.watch.mu.Lock()
	n := c.watch.at(host)
	n.host, n.member = host, true
	c.watch.mu.Unlock()
	c.HostSelectionPolicy.AddHost(host)
}

// RemoveHost is a method of [gocql.HostSelectionPolicy].
func (c choice) RemoveHost(host *gocql.HostInfo) {
	c.watch.mu.Lock()
	if c.watch.at(host).host == host { // else another one has its address
		delete(c.watch.nodes, host.ConnectAddressAndPort())
	}
	c.watch.mu.Unlock()
	c.HostSelectionPolicy.RemoveHost(host)
}
