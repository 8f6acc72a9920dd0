package peer

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pires/go-proxyproto"
)

// Proxies are the networks of proxies whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// Client returns the address of the client that made a request, the zero Addr where the connection has none.
// X-Forwarded-For counts as far as trusted proxies wrote it: each appends the address that asked it, so the rightmost
// address that is no trusted proxy's is the client's. A server that trusts no proxy reads no header.
func (p Proxies) Client(r *http.Request) netip.Addr {
	address, _ := Parse(r.RemoteAddr)
	hops := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for p.Trust(address) && hops != "" {
		comma := strings.LastIndexByte(hops, ',')
		before, ok := Parse(strings.TrimSpace(hops[comma+1:]))
		if !ok {
			break // what was before is not known
		}
		address, hops = before, hops[:max(comma, 0)]
	}
	return address
}

// Listen returns a listener whose connections of the proxies have the addresses of the clients that they are for, by
// the PROXY protocol, as soon as its header has come. One that does not begin with a header in time can't be read; one of
// another peer is as it is, whatever it begins with.
func (p Proxies) Listen(on net.Listener, patience time.Duration) net.Listener {
	return &proxyproto.Listener{Listener: on, ReadHeaderTimeout: patience, ConnPolicy: func(of proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
		if from, _ := Parse(of.Upstream.String()); p.Trust(from) {
			return proxyproto.REQUIRE, nil
		}
		return proxyproto.SKIP, nil
	}}
}

// Trust reports whether an address is a trusted proxy's.
func (p Proxies) Trust(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// Parse reads an address with or without a port. IPv4 in IPv6 is IPv4, and a zone is dropped.
func Parse(text string) (netip.Addr, bool) {
	withPort, err := netip.ParseAddrPort(text)
	address := withPort.Addr()
	if err != nil {
		address, err = netip.ParseAddr(strings.Trim(text, "[]"))
	}
	return address.Unmap().WithZone(""), err == nil
}

// Subnet returns what one client has of addresses: the whole of IPv4, and a /56 of IPv6, as a household has (RFC 6177).
func Subnet(address netip.Addr) netip.Prefix {
	address = address.Unmap()
	bits := address.BitLen()
	if address.Is6() {
		bits = 56
	}
	prefix, _ := address.Prefix(bits) // it fails for more bits than there are
	return prefix
}
