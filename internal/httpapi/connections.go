package httpapi

import (
	"net"
	"net/netip"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"broadsheet/internal/httpapi/peer"
)

// Connections is a listener that closes the connections which are too many, of all clients
// or of one: an address is a client's, or a network of IPv6. Trusted proxies may have any number.
type Connections struct {
	net.Listener
	exempt  peer.Proxies
	refused prometheus.Counter
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
		if c.enter(client, c.exempt.Trust(remote.Addr().Unmap())) == admitted {
			return &counted{Conn: conn, listener: c, client: client}, nil
		}
		_ = conn.Close()
		c.refused.Inc()
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
	client   netip.Prefix
	left     sync.Once
}

func (c *counted) Close() error {
	c.left.Do(func() { c.listener.leave(c.client) })
	return c.Conn.Close()
}
