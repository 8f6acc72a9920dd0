package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"broadsheet/internal/memory"
)

// clientAddress returns the address of the client that made a request, the zero
// Addr where the connection has none. X-Forwarded-For counts only as far as trusted
// proxies wrote it: each of them appends whom it was asked by, so the rightmost
// address that is no trusted proxy's is the client's, and what stands to the left of
// it is hearsay. A server that trusts no proxy reads no header.
func clientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	address, _ := parseAddress(r.RemoteAddr)
	hops := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for within(trusted, address) && hops != "" {
		comma := strings.LastIndexByte(hops, ',')
		before, ok := parseAddress(strings.TrimSpace(hops[comma+1:]))
		if !ok {
			break // what was before is not known
		}
		address, hops = before, hops[:max(comma, 0)]
	}
	return address
}

// parseAddress reads an address with or without a port. IPv4 in IPv6 is IPv4, and a
// zone, which means something on one machine only, is dropped.
func parseAddress(text string) (netip.Addr, bool) {
	withPort, err := netip.ParseAddrPort(text)
	address := withPort.Addr()
	if err != nil {
		address, err = netip.ParseAddr(strings.Trim(text, "[]"))
	}
	return address.Unmap().WithZone(""), err == nil
}

func within(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(address) })
}

// clientOf returns whom a request is of: its subject, or where it has none the subnet of its
// address.
func clientOf(subject string, address func() netip.Addr) memory.Client {
	if subject != "" {
		return memory.Client{Subject: subject}
	}
	return memory.Client{Network: subnet(address())}
}

// subnet returns what one client has of addresses: the whole of IPv4, and a /56 of IPv6, which is
// what many providers give a household (RFC 6177).
func subnet(address netip.Addr) netip.Prefix {
	address = address.Unmap()
	bits := address.BitLen()
	if address.Is6() {
		bits = 56
	}
	prefix, _ := address.Prefix(bits) // it fails for more bits than there are
	return prefix
}
