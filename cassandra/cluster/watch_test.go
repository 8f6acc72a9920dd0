package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/cassandratest/cqlnode"
	"broadsheet/internal/cassandratest/faultproxy"
)

// pair is two nodes with the same rows, each behind a line, and a session.
type pair struct {
	t     *testing.T
	proxy *faultproxy.Proxy
	watch *cluster.Watch
	log   *log
	db    *cql.Session
}

// log is what was logged.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

const rows = 20

func newPair(t *testing.T) *pair {
	t.Helper()
	first := node(t, "127.0.0.1:0")
	_, port, err := net.SplitHostPort(first.Host())
	must(t, err)
	second := node(t, "127.0.0.2:"+port)
	first.Meet(second)
	second.Meet(first)
	p := &pair{t: t, proxy: faultproxy.Start(t, []string{first.Host(), second.Host()}), log: &log{}}
	c := cluster.Config{Hosts: p.proxy.Hosts(), Keyspace: "k", Log: slog.New(slog.NewTextHandler(p.log, nil))}.WithDefaults()
	session, err := c.Connect(t.Context())
	must(t, err)
	t.Cleanup(session.Close)
	p.watch, p.db = c.Watch, c.Session(session, nil)
	return p
}

// node starts a node with rows.
func node(t *testing.T, address string) *cqlnode.Node {
	t.Helper()
	n, err := cqlnode.Start(address)
	must(t, err)
	t.Cleanup(func() { n.Close() })
	c := cluster.Config{Hosts: []string{n.Host()}}.WithDefaults()
	session, _, err := c.ConnectAnywhere(t.Context())
	must(t, err)
	defer session.Close()
	must(t, session.Query(`CREATE KEYSPACE k WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 2}`).Exec())
	must(t, session.Query(`CREATE TABLE k.t (k int PRIMARY KEY, v text)`).Exec())
	for k := range rows {
		must(t, session.Query(`INSERT INTO k.t (k, v) VALUES (?, ?)`, k, fmt.Sprint(k)).Exec())
	}
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read reads a row, and checks what it is.
func (p *pair) read(ctx context.Context, k int) error {
	var v string
	err := p.db.One(ctx, cql.On("t", `SELECT v FROM t WHERE k = ?`).With(k), &v)
	if err == nil && v != fmt.Sprint(k) {
		p.t.Errorf("row %d has %q", k, v)
	}
	return err
}

// reads reads until something is so. No read fails.
func (p *pair) reads(until string, is func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	for n := 0; !is(); n++ {
		if err := p.read(ctx, n%rows); err != nil {
			p.t.Fatalf("a read until %s: %v", until, err)
		}
	}
}

// up returns the numbers of the nodes that are.
func (p *pair) up() (up []int) {
	var u blog.Upkeep
	p.watch.Report(&u)
	if len(u.Nodes) != 2 {
		p.t.Errorf("nodes: %v", u.Nodes)
	}
	for i, host := range p.proxy.Hosts() {
		if u.Nodes[host].Up {
			up = append(up, i)
		}
	}
	return up
}

func (p *pair) isUp(nodes string) func() bool {
	return func() bool { return fmt.Sprint(p.up()) == nodes }
}

// A node that hangs fails no read. It is named by its address, once.
func TestANodeHangs(t *testing.T) {
	p := newPair(t)
	p.reads("both nodes are up", p.isUp("[0 1]"))
	for n := range 100 {
		must(t, p.read(t.Context(), n%rows))
	}
	first := 0 // that replicas are asked in
	if p.proxy.Line(1).Statements() > p.proxy.Line(0).Statements() {
		first = 1
	}
	p.proxy.Line(first).Stall(faultproxy.ToServer)
	p.reads("it was asked of the other one", func() bool { return p.db.Hedged() > 0 })
	p.reads("one node is up", p.isUp(fmt.Sprint([]int{1 - first})))
	hung := `node does not answer while others do: its connections are closed" node=` + p.proxy.Hosts()[first]
	p.reads("the connections are closed", func() bool { return p.log.count(hung) == 1 })
	p.proxy.Line(first).Flow()
	p.reads("both nodes are up again", p.isUp("[0 1]"))
	if n := p.log.count("does not answer"); n != 1 {
		t.Errorf("%d times it was logged that a node hangs", n)
	}
}
