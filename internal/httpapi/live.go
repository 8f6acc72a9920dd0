package httpapi

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

// enterLive counts a connection that stays open among those of its client, until it leaves. Where it is one too
// many it is refused.
func (a *API) enterLive(r *http.Request) (client netip.Prefix, refused error) {
	address := record.Of(r.Context()).Origin.Remote
	client = peer.Subnet(address)
	switch a.live.enter(client, a.config.TrustedProxies.Trust(address)) {
	case admitted:
		return client, nil
	case tooManyOfClient:
		return client, refusal.Beyond(refusal.CodeRateLimited, limit.LiveConnections.String(), "the client has too many WebSockets and event streams open")
	default:
		return client, refusal.Beyond(refusal.CodeUnavailable, limit.LiveConnections.String(), "the server has as many WebSockets and event streams open as it may: try again later")
	}
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
