package httpapi

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// Connections is a listener that closes the connections which are too many, of all clients
// or of one: what is one client's follows from its address as for [Limits.AddressRate].
type Connections struct {
	net.Listener
	Most      int            // of all clients; 0: any number
	PerClient int            // of one; 0: any number
	Exempt    []netip.Prefix // clients that may have more, as proxies
	Refused   func()         // is told of each that is closed; nil: nothing is

	mu   sync.Mutex
	open map[netip.Prefix]int
	all  int
}

// Accept waits for a connection that is not too much.
func (c *Connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		remote, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
		client := subnet(remote.Addr())
		if c.enter(client, remote.Addr()) {
			return &counted{Conn: conn, listener: c, leave: sync.OnceFunc(func() { c.leave(client) })}, nil
		}
		_ = conn.Close()
		if c.Refused != nil {
			c.Refused()
		}
	}
}

func (c *Connections) enter(client netip.Prefix, address netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	exempt := c.PerClient == 0 || slices.ContainsFunc(c.Exempt, func(network netip.Prefix) bool { return network.Contains(address.Unmap()) })
	if c.Most > 0 && c.all >= c.Most || !exempt && c.open[client] >= c.PerClient {
		return false
	}
	if c.open == nil {
		c.open = map[netip.Prefix]int{}
	}
	c.open[client]++
	c.all++
	return true
}

func (c *Connections) leave(client netip.Prefix) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.open[client]--; c.open[client] == 0 {
		delete(c.open, client)
	}
}

// counted is a connection that makes room when it is closed.
type counted struct {
	net.Conn
	listener *Connections
	leave    func()
}

func (c *counted) Close() error {
	c.leave()
	return c.Conn.Close()
}
