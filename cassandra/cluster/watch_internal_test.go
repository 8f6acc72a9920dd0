package cluster

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocql/gocql"
)

// peer is a node as its end of a connection.
type peer struct {
	net.Conn
	ours *line
}

func newPeer(w *Watch, address string, member bool) peer {
	host := (&gocql.HostInfo{}).SetConnectAddress(net.ParseIP(address))
	if member {
		choice{gocql.RoundRobinHostPolicy(), w}.AddHost(host)
	}
	dialed, _ := w.DialHost(context.Background(), host)
	p := peer{w.dialer.(*fake).its, dialed.Conn.(*line)}
	go func() { _, _ = io.Copy(io.Discard, p.Conn) }()
	go func() { _, _ = io.Copy(io.Discard, p.ours) }()
	p.ask(1)
	p.answer(1)
	return p
}

// fake connects to what answers the first request, or does not.
type fake struct {
	its     net.Conn
	answers bool
}

func (f *fake) DialHost(context.Context, *gocql.HostInfo) (*gocql.DialedHost, error) {
	ours, its := net.Pipe()
	if f.its = its; f.answers {
		go func() {
			_, _ = its.Read(make([]byte, 100))
			_, _ = its.Write([]byte("\x84"))
		}()
	}
	return &gocql.DialedHost{Conn: ours}, nil
}

func (p peer) ask(n int) {
	for range n {
		_, _ = p.ours.Write([]byte("a request"))
	}
}

// answer sends answers, in pieces.
func (p peer) answer(n int) {
	for range n {
		for _, part := range []string{"\x84\x00\x00", "\x01\x08\x00\x00\x00\x04A", "BCD"} {
			_, _ = p.Write([]byte(part))
		}
	}
}

func (p peer) event() { _, _ = p.Write([]byte("\x84\x00\xff\xff\x0c\x00\x00\x00\x01E")) }

func (p peer) open() bool {
	p.ours.watch.mu.Lock()
	defer p.ours.watch.mu.Unlock()
	return p.ours.node.closed == 0
}

// Whom a silence is blamed on.
func TestSilence(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b  func(p peer) // each beat
		alive bool         // a answers the probe
		blame bool         // a is blamed
	}{
		"one node is silent":                {nil, func(p peer) { p.ask(1); p.answer(1) }, false, true},
		"it is only slow":                   {nil, func(p peer) { p.ask(1); p.answer(1) }, true, false},
		"the other one owes nothing":        {nil, func(peer) {}, false, true},
		"both are":                          {nil, func(p peer) { p.ask(1) }, false, false},
		"it answers, if ever less":          {func(p peer) { p.ask(2); p.answer(1) }, func(peer) {}, false, false},
		"it tells of events alone":          {func(p peer) { p.event() }, func(peer) {}, false, true},
		"the other one was never connected": {nil, func(p peer) { p.ours.answers.Store(0) }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &Watch{log: slog.New(slog.DiscardHandler), dialer: &fake{}, nodes: map[string]*node{}}
				a, b := newPeer(w, "10.0.0.1", true), newPeer(w, "10.0.0.2", true)
				defer b.Close()
				defer a.Close()
				w.dialer.(*fake).answers = tc.alive
				time.Sleep(beat / 2)
				a.ask(1)
				for n := range 100 {
					if tc.a != nil {
						tc.a(a)
					}
					tc.b(b)
					time.Sleep(beat)
					if early := n < probedAfter+int(probe/beat)-1; early && !a.open() {
						t.Fatalf("it is blamed after %d beats", n+1)
					}
				}
				if blamed := !a.open(); blamed != tc.blame {
					t.Errorf("it is blamed: %v, want %v", blamed, tc.blame)
				}
				if !b.open() {
					t.Error("the other node is blamed")
				}
				a.ours.Close()
				b.ours.Close()
				time.Sleep(2 * beat)
			})
		})
	}
}

// A cluster of one node has no other that could judge it: neither what the driver has beside it by the
// configuration's host, nor an address that is none of the cluster's.
func TestSilenceOfAllThereIs(t *testing.T) {
	for _, control := range []string{"10.0.0.1", "10.0.0.2"} {
		synctest.Test(t, func(t *testing.T) {
			w := &Watch{log: slog.New(slog.DiscardHandler), dialer: &fake{}, nodes: map[string]*node{}}
			first := newPeer(w, control, false)
			pool := newPeer(w, "10.0.0.1", true)
			defer first.Close()
			defer pool.Close()
			pool.ask(1)
			time.Sleep(100 * beat)
			if !pool.open() || !first.open() {
				t.Errorf("beside a connection to %s the only node is blamed", control)
			}
			first.ours.Close()
			pool.ours.Close()
			time.Sleep(2 * beat)
		})
	}
}
