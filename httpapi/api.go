package httpapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/httpapi/playground"
)

// Config is what an [API] is made with.
type Config struct {
	Log            *slog.Logger  // nil: the default
	RequestTimeout time.Duration // of one operation; default 10 s
	SDL            string        // the schema's text, for /schema.graphql
	Authenticate   Authenticate  // nil: nobody may
	DevSubject     string        // fills the playground's Authorization header; empty: none

	AuthReady    func() error // why no token can be judged yet, for /readyz; nil: they can
	LoopbackOnly bool         // refuse requests whose Host header names another host than loopback
	CORSOrigins  []string     // whose pages may read answers: see [CheckOrigin]; none: no other's
}

// API serves HTTP. Make it with [New].
type API struct {
	config   Config
	metrics  *metrics
	handler  http.Handler
	changing sync.Mutex // of state
	state    atomic.Pointer[state]
}

var _ http.Handler = (*API)(nil)

// New returns an API that has no store yet.
func New(c Config) *API {
	c.Log = cmp.Or(c.Log, slog.Default())
	c.RequestTimeout = cmp.Or(c.RequestTimeout, 10*time.Second)
	a := &API{config: c}
	a.metrics = newMetrics(func() blog.Store { return a.state.Load().store })
	a.Wait("the server is starting")
	a.handler = a.named(a.recorded(a.guarded(secured(a.onLoopback(a.crossOrigin(a.routes()))))))
	return a
}

func (a *API) routes() http.Handler {
	page := playground.Handler(playground.Config{DevSubject: a.config.DevSubject})
	mux := http.NewServeMux()
	mux.Handle(graphqlPath, a.authenticated(http.HandlerFunc(a.graphql)))
	mux.Handle("/playground", page)
	mux.Handle("/playground/", page)
	mux.Handle("GET /{$}", http.RedirectHandler("/playground", http.StatusFound))
	mux.HandleFunc("GET /livez", a.livez)
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("GET /metrics", a.metrics.handler())
	mux.HandleFunc("GET "+schemaPath, a.schema)
	return mux
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// Observer counts a store's statements in /metrics.
func (a *API) Observer() blog.Observer { return a.metrics }

func (a *API) schema(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(a.config.SDL))
}
