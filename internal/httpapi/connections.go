package httpapi

import (
	"cmp"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

// What a connection that stays open is refused with. Any other is closed.
var (
	errTooManyOpen     = refusal.New(refusal.CodeUnavailable, "the server has as many WebSockets and event streams open as it may: try again later").Beyond(limit.LiveConnections.String())
	errTooManyOfClient = refusal.New(refusal.CodeRateLimited, "the client has too many WebSockets and event streams open").Beyond(limit.LiveConnections.String())
)

// newSlots returns slots for what is open, of all clients and of each. 0: any number.
func newSlots(most, perClient int) *client.Room {
	return &client.Room{Most: most, PerClient: cmp.Or(perClient, math.MaxInt), Full: errTooManyOpen, Beyond: errTooManyOfClient}
}

// from returns the client of an address, and whether it gets no more slots than one may: a trusted proxy has any
// number.
func (a *API) from(address netip.Addr) (of *client.Client, fair bool) {
	return a.clients.Of(client.Key{Network: peer.Subnet(address)}), !a.config.TrustedProxies.Trust(address)
}

// enterLive takes a slot for a connection that stays open, or says why there is none.
func (a *API) enterLive(r *http.Request) (slot *client.Reservation, refused *refusal.Error) {
	of, fair := a.from(record.Of(r.Context()).Origin.Remote)
	slot = a.live.For(&of.Live, fair)
	return slot, slot.Reserve(1)
}

// Connections is a listener whose connections are counted from their first read on, when a proxy has said of whom they
// are, and closed where they are too many.
type Connections struct {
	net.Listener
	api  *API
	open *client.Room
}

// Accept is a method of [net.Listener].
func (c *Connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &counted{Conn: conn, listener: c, slot: c.open.For(new(client.Share), true)}, nil
}

// counted is a connection that makes room when it is closed.
type counted struct {
	net.Conn
	listener *Connections
	slot     *client.Reservation
	first    sync.Once // read
}

func (c *counted) Read(b []byte) (int, error) {
	c.first.Do(c.enter)
	return c.Conn.Read(b)
}

func (c *counted) enter() {
	remote, _ := peer.Parse(c.RemoteAddr().String()) // it may be waited for, as what is read is
	of, fair := c.listener.api.from(remote)
	c.slot.Of(&of.Connections, fair)
	if c.slot.Reserve(1) != nil {
		c.listener.api.metrics.Limited.WithLabelValues(limit.Connections.String()).Inc()
		_ = c.Conn.Close() // the read fails then
	}
}

func (c *counted) Close() error {
	c.slot.Release()
	return c.Conn.Close()
}

// mayOpen reports whether a page may have the WebSocket that it asks for, which browsers do whatever CORS says.
func (a *API) mayOpen(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	return sameOrigin(origin, r.Host) || a.origins != nil && a.origins.OriginAllowed(r)
}

// sameOrigin reports whether an origin is this server's, as the Host header names it, whatever its scheme.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}
