package hint

import (
	"log/slog"
	"net/http"
	"sync"

	"broadsheet/internal/httpapi/peer"
)

// The flags that hints are about.
const (
	proxies = "--trusted-proxies"
	origins = "--cors-origins"
)

// Config is what [New] needs.
type Config struct {
	Log         *slog.Logger
	Count       func(flag string)        // is told of each request that lacks a flag
	Proxies     peer.Proxies             // those that are trusted
	NoForwarded bool                     // X-Forwarded-For says nothing here
	Kept        func(*http.Request) bool // reports whether a page of another origin is kept from the API
}

// Hints looks at requests. Each kind is logged once in a process, for anybody may cause it again,
// and is counted by its flag each time.
type Hints struct {
	config                Config
	toldProxies, toldKept sync.Once
}

// New returns hints of which none is told yet.
func New(c Config) *Hints { return &Hints{config: c} }

// Handler looks at each request for what its answer will lack.
func (h *Hints) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from, _ := peer.Parse(r.RemoteAddr); !h.config.NoForwarded && r.Header["X-Forwarded-For"] != nil && !h.config.Proxies.Trust(from) {
			h.tell(r, &h.toldProxies, proxies, "a request has X-Forwarded-For and comes from no trusted proxy: if that is yours, all its clients share one rate and one place for connections until "+proxies+" names it",
				"peer", from)
		}
		if h.config.Kept(r) {
			h.tell(r, &h.toldKept, origins, "a page of another origin was kept from the API: if it is yours, name its origin in "+origins,
				"origin", shown(r.Header.Get("Origin")))
		}
		next.ServeHTTP(w, r)
	})
}

func (h *Hints) tell(r *http.Request, once *sync.Once, flag, message string, about ...any) {
	h.config.Count(flag)
	once.Do(func() { h.config.Log.WarnContext(r.Context(), message, about...) })
}

// shown cuts what a client chose.
func shown(origin string) string { return origin[:min(len(origin), 100)] }
