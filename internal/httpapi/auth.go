package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

// DevTokens takes a token for the subject itself: a client can be anyone, so it is for a machine's own loopback only.
// No token makes a moderator, and none proves an address.
type DevTokens struct{}

var _ Tokens = DevTokens{}

// Known takes every subject: there is nothing to verify.
func (DevTokens) Known(token string) bool { return blog.CheckSubject(token) == nil }

// Ready is nil.
func (DevTokens) Ready() error { return nil }

// Fetches is false: there are no keys.
func (DevTokens) Fetches() (last time.Time, ok, failed uint64, changing bool) { return }

// Bearer is a method of [Tokens].
func (DevTokens) Bearer(_ context.Context, token string) (blog.Bearer, error) {
	if err := blog.CheckSubject(token); err != nil {
		return blog.Bearer{}, err
	}
	return blog.Bearer{Subject: token}, nil
}

// authenticated lets requests without a token pass without a subject, and refuses one whose token is bad.
func (a *API) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := record.Of(r.Context())
		v, err := a.viewer(r.Context(), r.Header.Values("Authorization"), rec.Origin.Remote)
		a.hasCome(rec, v)
		beyond := err
		if !isBeyond(beyond) {
			beyond = rec.Asker.Work.BeginRequest(len(r.URL.RawQuery))
		}
		if beyond != nil {
			refuse(w, r, beyond)
			return
		}
		switch {
		case blog.KindOf(err) == blog.Unavailable:
			refuse(w, r, refusal.New(refusal.CodeUnavailable, err.Error()))
			return
		case err != nil:
			w.Header().Set("WWW-Authenticate", challenge(err))
			refuse(w, r, &refusal.Error{Status: http.StatusUnauthorized, Code: refusal.CodeUnauthenticated, Message: err.Error()})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hasCome notes the bearer of a request, and the client whose memory and work it takes: its subject, else its subnet.
func (a *API) hasCome(rec *record.Record, v blog.Bearer) {
	rec.Asker.Bearer = v
	of := client.Key{Subject: v.Subject}
	if of.Subject == "" {
		of.Network = peer.Subnet(rec.Origin.Remote)
	}
	rec.Asker.Work.Client = a.clients.Of(of)
}

// viewer judges the values of Authorization that came from an address, which are one or none.
func (a *API) viewer(ctx context.Context, authorization []string, from netip.Addr) (v blog.Bearer, err error) {
	if len(authorization) == 0 {
		return blog.Bearer{}, nil
	}
	token, err := bearer(authorization)
	if err != nil {
		return blog.Bearer{}, err
	}
	if a.config.Tokens == nil {
		return blog.Bearer{}, errors.New("this server takes no tokens")
	}
	if a.config.Tokens.Known(token) {
		return a.config.Tokens.Bearer(ctx, token)
	}
	budget := client.Budget{Client: a.clients.Of(client.Key{Subject: forger, Network: peer.Subnet(from)})}
	if refused := budget.Begin(0); refused != nil {
		return blog.Bearer{}, refused
	}
	v, err = a.config.Tokens.Bearer(ctx, token)
	if err != nil && blog.KindOf(err) != blog.Unavailable {
		budget.Pay(badTokenUnits)
	}
	return v, err
}

// An address has a budget for bad tokens alone. Once that is used up none of its tokens is judged that is not known;
// known ones go on, and so do requests without a token.
const (
	forger        = "bad tokens" // beside a network, which no subject has
	badTokenUnits = 20
)

// challenge says what is wrong with a token, in printable ASCII without quotes and backslashes (RFC 6750, section 3).
func challenge(err error) string {
	description := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, err.Error())
	return `Bearer realm="broadsheet", error="invalid_token", error_description="` + description + `"`
}

var errAuthorization = errors.New("the Authorization header must be: Bearer, a space, a token")

// bearer returns the token of an Authorization header (RFC 6750, section 2.1).
func bearer(values []string) (string, error) {
	if len(values) > 1 {
		return "", errors.New("there must be one Authorization header, not several")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " \t") {
		return "", errAuthorization
	}
	return token, nil
}
