package httpapi

import (
	"net"
	"net/netip"
	"sync"

	"broadsheet/internal/httpapi/peer"
)

// Connections is a listener that closes the connections which are too many, of all clients
// or of one: an address is a client's, or a network of IPv6.
type Connections struct {
	net.Listener
	Most      int          // of all clients; 0: any number
	PerClient int          // of one; 0: any number
	Exempt    peer.Proxies // clients that may have more, as proxies
	Refused   func()       // is told of each that is closed; nil: nothing is

	admission
}

// Accept waits for a connection that is not too much.
func (c *Connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		remote, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
		client := peer.Subnet(remote.Addr())
		c.most, c.perClient = c.Most, c.PerClient
		if c.enter(client, c.Exempt.Trust(remote.Addr().Unmap())) == admitted {
			return &counted{Conn: conn, listener: c, leave: sync.OnceFunc(func() { c.leave(client) })}, nil
		}
		_ = conn.Close()
		if c.Refused != nil {
			c.Refused()
		}
	}
}

// admission counts what is open, of all clients and of each.
type admission struct {
	most, perClient int // 0: any number

	mu          sync.Mutex
	connections map[netip.Prefix]int
	all         int
}

// verdict is whether one more may be open.
type verdict int

const (
	admitted verdict = iota
	tooMany
	tooManyOfClient
)

// enter counts one more of a client, where it may be open: leave counts it off. A client that
// is exempt may have any number.
func (a *admission) enter(client netip.Prefix, exempt bool) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.most > 0 && a.all >= a.most:
		return tooMany
	case !exempt && a.perClient > 0 && a.connections[client] >= a.perClient:
		return tooManyOfClient
	}
	if a.connections == nil {
		a.connections = map[netip.Prefix]int{}
	}
	a.connections[client]++
	a.all++
	return admitted
}

func (a *admission) leave(client netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all--
	if a.connections[client]--; a.connections[client] == 0 {
		delete(a.connections, client)
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
