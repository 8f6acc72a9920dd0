package httpapi

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/rs/cors"

	"broadsheet/internal/httpapi/peer"
)

// The headers of every response for browsers, by their canonical names. A page of ours that needs more than nothing
// sets its own Content-Security-Policy. Strict-Transport-Security is left to what terminates TLS.
var securityHeaders = http.Header{
	"Content-Security-Policy":      {"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"}, // CORS, where it is allowed, comes before it
	"Permissions-Policy":           {"camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"},
	"Referrer-Policy":              {"no-referrer"},
	"X-Content-Type-Options":       {"nosniff"},
}

func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), securityHeaders)
		next.ServeHTTP(w, r)
	})
}

// onLoopback keeps web pages away from a server that believes every request: a page's host that is made to point at
// 127.0.0.1 (DNS rebinding) is of one origin with us, but its name still stands in the Host header.
func (a *API) onLoopback(next http.Handler) http.Handler {
	if !a.config.LoopbackOnly {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if NamesLoopback(r.Host) {
			next.ServeHTTP(w, r)
			return
		}
		const message = "with dev auth only localhost, 127.0.0.1 and [::1] are answered: the Host header names another host"
		if r.URL.Path == graphqlPath {
			refuse(w, r, badf(http.StatusMisdirectedRequest, message))
			return
		}
		http.Error(w, message, http.StatusMisdirectedRequest)
	})
}

// NamesLoopback reports whether a Host header, with or without a port, names this machine alone.
func NamesLoopback(hostport string) bool {
	host := (&url.URL{Host: hostport}).Hostname()
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// preflightAge is for how many seconds a browser may remember what it was allowed: Chromium's longest.
const preflightAge = 7200

// crossOrigin lets pages of the configured origins read the API and its schema (CORS); other paths are for pages of
// ours. Credentials are never allowed: a client sends its token itself. So no header but Authorization means anything,
// and all may be sent.
func (a *API) crossOrigin(next http.Handler) http.Handler {
	if a.origins == nil {
		return next
	}
	shared := a.origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sharedPath(r) {
			shared.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func sharedPath(r *http.Request) bool {
	return r.URL.Path == graphqlPath || r.URL.Path == schemaPath
}

// newOrigins returns nil where no other origin is allowed.
func newOrigins(allowed []string) *cors.Cors {
	if len(allowed) == 0 {
		return nil
	}
	return cors.New(cors.Options{
		AllowedOrigins: allowed,
		AllowedMethods: []string{http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: []string{"ETag", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"},
		MaxAge:         preflightAge,
	})
}

// CheckOrigin returns what is wrong with an origin for [Config.CORSOrigins]. It is as browsers send it,
// https://app.example.org; or https://*.example.org for all names below that one; or * for every origin.
func CheckOrigin(origin string) error {
	if origin == "*" {
		return nil
	}
	plain := strings.Replace(origin, "://*.", "://", 1)
	u, err := url.Parse(plain)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" ||
		u.Scheme+"://"+u.Host != plain || strings.Contains(u.Host, "*") {
		return fmt.Errorf("%q is no origin: take a scheme and a host, as in https://app.example.org or https://*.example.org, or * alone", origin)
	}
	return nil
}

// hints show an operator which setting a request looks to be in want of, which its client can't know. Each kind is
// logged once in a process, for any client may cause it again, and is counted by its flag each time.
type hints struct{ proxies, origins sync.Once }

// hinted looks at each request for what its answer will lack.
func (a *API) hinted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header["X-Forwarded-For"] != nil && !a.config.ProxyProtocol {
			if from, _ := peer.Parse(r.RemoteAddr); !a.config.TrustedProxies.Trust(from) {
				a.hint(r, &a.hints.proxies, "--trusted-proxies", "a request has X-Forwarded-For and comes from no trusted proxy: if that is yours, "+
					"all its clients share one rate and one place for connections until --trusted-proxies names it", "peer", from)
			}
		}
		if isPreflight(r) && sharedPath(r) && (a.origins == nil || !a.origins.OriginAllowed(r)) {
			origin := r.Header.Get("Origin")
			a.hint(r, &a.hints.origins, "--cors-origins", "a page of another origin was kept from the API: if it is yours, name its origin in --cors-origins",
				"origin", origin[:min(len(origin), 100)])
		}
		next.ServeHTTP(w, r)
	})
}

func (a *API) hint(r *http.Request, once *sync.Once, flag, message string, about ...any) {
	a.metrics.Hints.WithLabelValues(flag).Inc()
	once.Do(func() { a.config.Log.WarnContext(r.Context(), message, about...) })
}
