package faultproxy

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// node is a server that answers each statement with its own text, and remembers what
// arrived.
type node struct {
	listener net.Listener
	arrived  chan string
}

func startNode(t *testing.T) *node {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{listener: listener, arrived: make(chan string, 100)}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go n.serve(c)
		}
	}()
	t.Cleanup(func() { listener.Close() })
	return n
}

func (n *node) serve(c net.Conn) {
	defer c.Close()
	for {
		f, err := readFrame(c)
		if err != nil {
			return
		}
		text := f.statements(nil)[0]
		n.arrived <- text
		answer := text
		if strings.Contains(text, "system.local") {
			answer += "\x00\x00\x00\x04\x7f\x00\x00\x01"
		}
		if _, err := c.Write(message(0x84, opResult, f.stream(), []byte(answer))); err != nil {
			return
		}
	}
}

func message(version, opcode byte, stream uint16, body []byte) frame {
	f := frame{version, 0, 0, 0, opcode}
	binary.BigEndian.PutUint16(f[2:], stream)
	return append(binary.BigEndian.AppendUint32(f, uint32(len(body))), body...)
}

func query(stream uint16, cql string) frame {
	return message(4, opQuery, stream, append(binary.BigEndian.AppendUint32(nil, uint32(len(cql))), cql...))
}

// client is a server's connection.
type client struct {
	t *testing.T
	net.Conn
}

func connect(t *testing.T, p *Proxy) client {
	t.Helper()
	c, err := net.Dial("tcp", p.Hosts()[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return client{t, c}
}

func (c client) ask(stream uint16, cql string) {
	c.t.Helper()
	if _, err := c.Write(query(stream, cql)); err != nil {
		c.t.Fatal(err)
	}
}

func (c client) wantAnswer(text string) {
	c.t.Helper()
	f, err := readFrame(c)
	if err != nil || string(f.body()) != text {
		c.t.Errorf("the answer is %q (%v), want %q", f, err, text)
	}
}

func (c client) wantCut() {
	c.t.Helper()
	if n, err := c.Read(make([]byte, 1)); err == nil || n > 0 || isTimeout(err) {
		c.t.Errorf("read %d bytes, %v; want the connection cut", n, err)
	}
}

func (c client) wantNothing() {
	c.t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !isTimeout(err) {
		c.t.Errorf("%v; want that nothing arrives", err)
	}
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		c.t.Fatal(err)
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func (n *node) want(t *testing.T, text string) {
	t.Helper()
	select {
	case got := <-n.arrived:
		if got != text {
			t.Errorf("%q arrived at the node, want %q", got, text)
		}
	case <-time.After(time.Minute):
		t.Errorf("%q did not arrive", text)
	}
}

func (n *node) wantNothing(t *testing.T) {
	t.Helper()
	select {
	case got := <-n.arrived:
		t.Errorf("%q arrived at the node, want nothing", got)
	default:
	}
}

func TestFaultsOfStatements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault   Fault
		arrives bool
		dies    bool
	}{
		{Fail, false, false},
		{LoseAnswer, true, false},
		{Late, false, false},
		{DieBefore, false, true},
		{DieAfter, true, true},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			t.Parallel()
			n := startNode(t)
			p := Start(t, []string{n.listener.Addr().String()})
			strike := p.Strike(2, c.fault, nil)
			server := connect(t, p)
			server.ask(1, "SELECT 1")
			server.wantAnswer("SELECT 1")
			n.want(t, "SELECT 1")
			server.ask(2, "SELECT 2")
			server.wantCut()
			if c.arrives {
				n.want(t, "SELECT 2")
			}
			n.wantNothing(t)
			<-strike.Done()
			if r, hit := strike.Hit(); !hit || r.String() != "SELECT 2" || strike.Seen() != 2 {
				t.Errorf("hit %v %q, seen %d", hit, r, strike.Seen())
			}
			if p.Dead() != c.dies {
				t.Errorf("dead: %v, want %v", p.Dead(), c.dies)
			}
			after := connect(t, p)
			if c.dies {
				after.wantCut()
			} else {
				after.ask(3, "SELECT 3")
				after.wantAnswer("SELECT 3")
				n.want(t, "SELECT 3")
			}
			p.Release()
			if c.fault == Late {
				n.want(t, "SELECT 2")
			}
			n.wantNothing(t)
		})
	}
}

// A request that was read before its connection was cut, and is to be late, is lost with it.
func TestLateOnACutConnection(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	p := Start(t, []string{n.listener.Addr().String()})
	judged := make(chan struct{}, 2)
	p.SetRule(func(r Request) Fault {
		defer func() { judged <- struct{}{} }()
		if r.String() == "SELECT 1" {
			return Fail
		}
		return Late
	})
	server := connect(t, p)
	if _, err := server.Write(append(query(1, "SELECT 1"), query(2, "SELECT 2")...)); err != nil {
		t.Fatal(err)
	}
	server.wantCut()
	<-judged
	<-judged
	p.Release()
	n.wantNothing(t)
}

func TestFaultsOfALine(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	p := Start(t, []string{n.listener.Addr().String()})
	line, server := p.Line(0), connect(t, p)

	line.Stall(ToServer)
	server.ask(1, "SELECT 1")
	n.want(t, "SELECT 1")
	server.wantNothing()
	line.Flow()
	server.wantAnswer("SELECT 1")

	line.Stall(ToNode)
	server.ask(2, "SELECT 2")
	server.wantNothing()
	n.wantNothing(t)
	line.Flow()
	server.wantAnswer("SELECT 2")
	n.want(t, "SELECT 2")

	line.Delay(ToServer, 100*time.Millisecond, 10*time.Millisecond)
	began := time.Now()
	for i := range uint16(50) {
		server.ask(i, "SELECT 3")
	}
	for range 50 {
		server.wantAnswer("SELECT 3")
		n.want(t, "SELECT 3")
	}
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("50 delayed answers took %v", took)
	}
	line.Delay(ToServer, 0, 0)

	line.Refuse(true)
	connect(t, p).wantCut()
	server.ask(4, "SELECT 4")
	server.wantAnswer("SELECT 4")
	n.want(t, "SELECT 4")
	line.Refuse(false)

	line.LoseAnswers(true)
	server.ask(5, "SELECT 5")
	server.wantCut()
	n.want(t, "SELECT 5")
	line.LoseAnswers(false)

	server = connect(t, p)
	server.ask(6, "SELECT 6")
	server.wantAnswer("SELECT 6")
	n.want(t, "SELECT 6")
	line.Cut()
	server.wantCut()
	if got := line.Statements(); got != 55 {
		t.Errorf("%d statements came by, want 55", got)
	}
}

// What the cluster says of itself names the proxy, and nothing else is touched.
func TestAddressesAreReplaced(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	p := Start(t, []string{n.listener.Addr().String()})
	server := connect(t, p)
	own, _, err := net.SplitHostPort(p.Hosts()[0])
	if err != nil {
		t.Fatal(err)
	}
	const local = "SELECT rpc_address FROM system.local"
	server.ask(1, local)
	server.wantAnswer(local + "\x00\x00\x00\x04" + string(net.ParseIP(own).To4()))
	const text = "SELECT '\x00\x00\x00\x04\x7f\x00\x00\x01'"
	server.ask(2, text)
	server.wantAnswer(text)
}

func TestStatementsOfRequests(t *testing.T) {
	t.Parallel()
	prepared := func(id []byte) string { return map[string]string{"id": "UPDATE t SET a = ? IF b = ?"}[string(id)] }
	value := "\x00\x00\x00\x02xy" + "\xff\xff\xff\xff" // and null
	batch := "\x01\x00\x02" + "\x01\x00\x02id\x00\x02" + value + "\x00\x00\x00\x00\x0dDELETE FROM u\x00\x00" + "\x00\x06\x00"
	for _, c := range []struct {
		name        string
		opcode      byte
		body        string
		want        string
		conditional bool
	}{
		{"execute", opExecute, "\x00\x02id\x00\x06\x00", "UPDATE t SET a = ? IF b = ?", true},
		{"batch", opBatch, batch, "UPDATE t SET a = ? IF b = ?; DELETE FROM u", true},
		{"query", opQuery, "\x00\x00\x00\x08SELECT 1", "SELECT 1", false},
		{"cut short", opBatch, batch[:12], "UPDATE t SET a = ? IF b = ?; ", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := Request{opcode: c.opcode, CQL: message(4, c.opcode, 1, []byte(c.body)).statements(prepared)}
			if r.String() != c.want || r.Conditional() != c.conditional || !r.IsStatement() || !r.Writes("t") && c.conditional {
				t.Errorf("%q, conditional %v, a statement %v, writes t %v", r, r.Conditional(), r.IsStatement(), r.Writes("t"))
			}
		})
	}
	if (Request{opcode: opQuery, CQL: []string{"SELECT rpc_address FROM system.peers"}}).IsStatement() {
		t.Error("the driver's own query counts as a statement")
	}
}

func TestAnUnknownProtocolFailsTheTest(t *testing.T) {
	t.Parallel()
	if _, err := readFrame(strings.NewReader(string(message(5, opQuery, 1, nil)))); err == nil {
		t.Error("version 5 is read as if it were 4")
	}
	if _, err := readFrame(strings.NewReader("\x04\x00")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
