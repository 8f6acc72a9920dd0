package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

// Connections is a listener whose connections are counted from their first read on, when a proxy has said of whom
// they are, and closed where they are too many, of all clients or of one: an address is a client's, or a network of
// IPv6. Trusted proxies may have any number.
type Connections struct {
	net.Listener
	exempt  peer.Proxies
	refused prometheus.Counter
	admission
}

// Accept is a method of [net.Listener].
func (c *Connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &counted{Conn: conn, listener: c}, nil
}

// admission counts what is open, of all clients and of each.
type admission struct {
	most, perClient int // 0: any number

	mu          sync.Mutex
	connections map[netip.Prefix]int
	all         int
}

// What a connection that stays open is refused with. Any other is closed.
var (
	errTooManyOpen     = refusal.Beyond(refusal.CodeUnavailable, limit.LiveConnections.String(), "the server has as many WebSockets and event streams open as it may: try again later")
	errTooManyOfClient = refusal.Beyond(refusal.CodeRateLimited, limit.LiveConnections.String(), "the client has too many WebSockets and event streams open")
)

// enter counts one more of a client, where it may be open: leave counts it off. A client that
// is exempt may have any number.
func (a *admission) enter(client netip.Prefix, exempt bool) (refused *refusal.Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.most > 0 && a.all >= a.most:
		return errTooManyOpen
	case !exempt && a.perClient > 0 && a.connections[client] >= a.perClient:
		return errTooManyOfClient
	}
	if a.connections == nil {
		a.connections = map[netip.Prefix]int{}
	}
	a.connections[client]++
	a.all++
	return nil
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
	first    sync.Once // read

	mu      sync.Mutex
	client  netip.Prefix
	entered bool
	closed  bool
}

func (c *counted) Read(b []byte) (int, error) {
	c.first.Do(c.enter)
	return c.Conn.Read(b)
}

func (c *counted) enter() {
	remote, _ := peer.Parse(c.RemoteAddr().String()) // it may be waited for, as what is read is
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client = peer.Subnet(remote)
	switch {
	case c.closed:
	case c.listener.enter(c.client, c.listener.exempt.Trust(remote)) == nil:
		c.entered = true
	default:
		c.listener.refused.Inc()
		_ = c.Conn.Close() // the read fails then
	}
}

func (c *counted) Close() error {
	c.mu.Lock()
	if c.entered && !c.closed {
		c.listener.leave(c.client)
	}
	c.closed = true
	c.mu.Unlock()
	return c.Conn.Close()
}

// enterLive counts a connection that stays open among those of its client, until it leaves. Where it is one too
// many it is refused.
func (a *API) enterLive(r *http.Request) (client netip.Prefix, refused *refusal.Error) {
	address := record.Of(r.Context()).Origin.Remote
	client = peer.Subnet(address)
	return client, a.live.enter(client, a.config.TrustedProxies.Trust(address))
}

// mayOpen reports whether the page that asks for a connection, if it is one, may. A browser asks
// for a WebSocket whatever CORS says, so that is for the server to refuse.
func (a *API) mayOpen(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	return sameOrigin(origin, r.Host) || a.origins != nil && a.origins.OriginAllowed(r)
}

// sameOrigin reports whether an origin is this server's, as the Host header names it: which
// scheme a proxy was asked by is not known here.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}
