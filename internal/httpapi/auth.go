package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/httpapi/refusal"
	"broadsheet/internal/memory"
)

// DevTokens takes the token for the subject itself. Each client that can reach the server
// can then be anyone, so it is for a machine's own loopback only. No token makes a moderator, and none
// proves an address.
func DevTokens(_ context.Context, token string) (blog.Bearer, error) {
	if err := blog.CheckSubject(token); err != nil {
		return blog.Bearer{}, err
	}
	return blog.Bearer{Subject: token}, nil
}

// authenticated lets requests without a token pass without a subject, and executes
// nothing for one whose token is bad.
func (a *API) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address := func() netip.Addr { return a.config.TrustedProxies.Client(r) }
		v, err := a.viewer(r.Context(), r.Header.Values("Authorization"), address)
		rec := record.Of(r.Context())
		a.hasCome(rec, v, address)
		if many := (*tooManyTokens)(nil); errors.As(err, &many) {
			w.Header().Set("Retry-After", strconv.Itoa(many.seconds))
			refuseBeyond(w, r, http.StatusTooManyRequests, refusal.CodeRateLimited, refusal.LimitAddressRate, err.Error())
			return
		}
		if a.limitRate(w, r, v.Subject) {
			return
		}
		if err := rec.Budget.BeginRequest(len(r.URL.RawQuery)); err != nil {
			refuseRequest(w, r, err)
			return
		}
		switch {
		case blog.KindOf(err) == blog.Unavailable:
			refuse(w, r, http.StatusServiceUnavailable, refusal.CodeUnavailable, err.Error())
			return
		case err != nil:
			w.Header().Set("WWW-Authenticate", challenge(err))
			refuse(w, r, http.StatusUnauthorized, refusal.CodeUnauthenticated, err.Error())
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hasCome notes by whom a request is made, and whose memory and work it takes.
func (a *API) hasCome(rec *record.Record, v blog.Bearer, address func() netip.Addr) {
	rec.Asker.Subject, rec.Asker.Role, rec.Asker.Email, rec.Asker.Until = v.Subject, v.Role, v.Email, v.Expires
	rec.Asker.Client = clientOf(v.Subject, address)
	rec.Asker.Work = &rec.Budget
	if a.work != nil {
		rec.Budget.Limiter = a.work.Of(rec.Asker.Client)
	}
}

// bearerOf returns who made a request that has come.
func bearerOf(rec *record.Record) blog.Bearer {
	return blog.Bearer{Subject: rec.Asker.Subject, Role: rec.Asker.Role, Email: rec.Asker.Email, Expires: rec.Asker.Until}
}

// clientOf returns whom a request is of: its subject, or where it has none the subnet of its
// address.
func clientOf(subject string, address func() netip.Addr) memory.Client {
	if subject != "" {
		return memory.Client{Subject: subject}
	}
	return memory.Client{Network: peer.Subnet(address())}
}

// viewer judges the values of Authorization that came from an address, which are one or none.
func (a *API) viewer(ctx context.Context, authorization []string, address func() netip.Addr) (v blog.Bearer, err error) {
	if len(authorization) == 0 {
		return blog.Bearer{}, nil
	}
	token, err := bearer(authorization)
	if err != nil {
		return blog.Bearer{}, err
	}
	if a.config.Authenticate == nil {
		return blog.Bearer{}, errors.New("this server takes no tokens")
	}
	judged, err := a.mayJudge(token, address)
	if err != nil {
		return blog.Bearer{}, err
	}
	v, err = a.config.Authenticate(ctx, token)
	judged(err == nil || blog.KindOf(err) == blog.Unavailable)
	return v, err
}

// tooManyTokens says that an address has sent so many bad tokens that no more are judged.
type tooManyTokens struct{ seconds int }

func (e *tooManyTokens) Error() string { return tooManyRequests(e.seconds) }

// mayJudge takes from an address's rate what a token costs whose signature is to be verified, if that
// should turn out to be bad; judged gives it back otherwise. A token that is known costs nothing.
func (a *API) mayJudge(token string, address func() netip.Addr) (judged func(good bool), err error) {
	if a.badTokens == nil || a.config.KnownToken != nil && a.config.KnownToken(token) {
		return func(bool) {}, nil
	}
	now := time.Now()
	reserved := a.badTokens.Of(peer.Subnet(address())).ReserveN(now, 1)
	if wait := reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
		return nil, &tooManyTokens{int(math.Ceil(wait.Seconds()))}
	}
	return func(good bool) {
		if good {
			reserved.CancelAt(now)
		}
	}, nil
}

// challenge says what is wrong with a token as RFC 6750, section 3, has it, whose
// descriptions are without quotes, backslashes and whatever is not ASCII.
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
