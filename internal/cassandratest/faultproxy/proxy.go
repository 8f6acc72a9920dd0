package faultproxy

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"testing"
)

// Proxy is a line to each node of a cluster.
type Proxy struct {
	lines     []*Line
	addresses []address

	mu       sync.Mutex
	rule     Rule
	prepared map[string]string // CQL by id
	died     chan struct{}     // closed when it did
	held     []*connection     // each with a request that is late
	broken   error             // what it could not understand

	running sync.WaitGroup
}

// address is that of a node and the proxy's for it, of 4 bytes each.
type address struct{ node, proxy net.IP }

// Start starts a proxy for the nodes, each "ip:port", and closes it when t ends.
func Start(t testing.TB, nodes []string) *Proxy {
	t.Helper()
	p := &Proxy{prepared: map[string]string{}, died: make(chan struct{})}
	if err := p.listen(nodes); err != nil {
		p.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		if p.broken != nil {
			t.Error(p.broken)
		}
	})
	return p
}

// listen opens a line to each node, on the nodes' own port: a cluster has one.
func (p *Proxy) listen(nodes []string) error {
	if runtime.GOOS != "linux" {
		return errors.New("faultproxy: it needs Linux, where all of 127.0.0.0/8 is loopback")
	}
	for i, node := range nodes {
		host, port, err := net.SplitHostPort(node)
		if err != nil {
			return fmt.Errorf("faultproxy: %w", err)
		}
		resolved, err := net.ResolveIPAddr("ip4", host)
		if err != nil {
			return fmt.Errorf("faultproxy: %w", err)
		}
		listener, err := listenAnywhere(port)
		if err != nil {
			return fmt.Errorf("faultproxy: %w", err)
		}
		own := listener.Addr().(*net.TCPAddr).IP.To4()
		p.addresses = append(p.addresses, address{resolved.IP.To4(), own})
		line := newLine(p, i, node, listener)
		p.lines = append(p.lines, line)
		p.running.Go(line.accept)
	}
	return nil
}

// listenAnywhere listens on a port of a loopback address that nobody else is likely to
// use.
func listenAnywhere(port string) (listener net.Listener, err error) {
	for range 20 {
		ip := fmt.Sprintf("127.%d.%d.%d", 16+rand.IntN(238), rand.IntN(255), 100+rand.IntN(100))
		if listener, err = net.Listen("tcp", net.JoinHostPort(ip, port)); err == nil {
			return listener, nil
		}
	}
	return nil, err
}

// Hosts returns the proxy's addresses, "ip:port", in the order of the nodes.
func (p *Proxy) Hosts() []string {
	hosts := make([]string, len(p.lines))
	for i, line := range p.lines {
		hosts[i] = line.listener.Addr().String()
	}
	return hosts
}

// Line returns the line to node i, from 0.
func (p *Proxy) Line(i int) *Line { return p.lines[i] }

// Connections returns how many connections the server has.
func (p *Proxy) Connections() (n int) {
	for _, line := range p.lines {
		n += line.uncut()
	}
	return n
}

// SetRule sets the rule for requests from now on; nil lets all pass.
func (p *Proxy) SetRule(rule Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = rule
}

// Die is the end of the server's process: every connection is cut, and from then on
// nothing reaches a node.
func (p *Proxy) Die() {
	p.mu.Lock()
	if !p.Dead() {
		close(p.died)
	}
	p.mu.Unlock()
	for _, line := range p.lines {
		line.Refuse(true)
		line.Cut()
	}
}

// Died is closed with the server's process.
func (p *Proxy) Died() <-chan struct{} { return p.died }

// Dead reports whether it has ended.
func (p *Proxy) Dead() bool {
	select {
	case <-p.died:
		return true
	default:
		return false
	}
}

// Release lets the requests that are late arrive, and returns when the nodes have
// answered them.
func (p *Proxy) Release() {
	p.mu.Lock()
	held := p.held
	p.held = nil
	p.mu.Unlock()
	for _, c := range held {
		c.release()
	}
}

// Close ends every connection and returns when nothing of the proxy is left.
func (p *Proxy) Close() {
	for _, line := range p.lines {
		_ = line.listener.Close()
		line.Cut()
	}
	p.mu.Lock()
	held := p.held
	p.held = nil
	p.mu.Unlock()
	for _, c := range held {
		c.node.Close()
	}
	p.running.Wait()
}

// judge returns what becomes of a request.
func (p *Proxy) judge(node int, f frame) (Request, Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := Request{Node: node, opcode: f.opcode(), CQL: f.statements(func(id []byte) string { return p.prepared[string(id)] })}
	switch {
	case p.Dead():
		return r, Fail
	case p.rule == nil:
		return r, None
	default:
		return r, p.rule(r)
	}
}

func (p *Proxy) learn(id []byte, cql string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prepared[string(id)] = cql
}

func (p *Proxy) hold(c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = append(p.held, c)
}

// misunderstood fails the test at its end.
func (p *Proxy) misunderstood(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = errors.Join(p.broken, err)
}

// disguise writes the proxy's addresses over the nodes'. In a row an [inet] is a value
// of 4 bytes with an [int] for its length, in an event it has a [byte].
func (p *Proxy) disguise(f frame) frame {
	length := []byte{0, 0, 0, 4}
	if f.opcode() == opEvent {
		length = length[3:]
	}
	for _, a := range p.addresses {
		f = bytes.ReplaceAll(f, append(bytes.Clone(length), a.node...), append(bytes.Clone(length), a.proxy...))
	}
	return f
}
