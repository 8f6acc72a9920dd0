package httpapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/cors"
	"go.opentelemetry.io/otel/trace"

	"broadsheet/blog"
	"broadsheet/httpapi/graphqlws"
	"broadsheet/httpapi/hint"
	"broadsheet/httpapi/peer"
	"broadsheet/httpapi/playground"
	"broadsheet/httpapi/rates"
	"broadsheet/internal/memory"
	"broadsheet/web"
)

// Config is what an [API] is made with.
type Config struct {
	Log             *slog.Logger            // nil: the default
	RequestTimeout  time.Duration           // of one operation; default 10 s
	SDL             string                  // the schema's text, for /schema.graphql; empty: that is not served
	NoPlayground    bool                    // /playground is not served
	OperatorsApart  bool                    // probes and metrics are served by [API.Operators] alone
	Authenticate    Authenticate            // nil: no token is accepted
	KnownToken      func(token string) bool // which tokens Authenticate takes without verifying their signatures; nil: none
	Limits          Limits                  // zero: [DefaultLimits]
	Live            Live                    // WebSockets and event streams
	NoIntrospection bool                    // __schema and __type are refused
	ShareReads      bool                    // those who read the same at once share one read
	DevSubject      string                  // fills the playground's Authorization header, and the app's sign-in; empty: none

	PersistedQueries     int               // how many are kept of those that clients persist automatically; 0: none, they are told so
	TrustedDocuments     *TrustedDocuments // nil: none
	TrustedDocumentsOnly bool              // no other document is executed
	CacheMaxAge          time.Duration     // for which an anonymous GET's answer needn't be asked for again; below 1 s: none
	CompressFrom         int               // bytes of an answer that is compressed where the client accepts gzip; 0: none

	TrustedProxies   peer.Proxies // whose X-Forwarded-For is believed; nil: none's
	ProxyProtocol    bool         // connections tell their clients, and no X-Forwarded-For is looked for
	MetricOperations int          // how many operations are counted by name; default 100
	Tracer           trace.Tracer // makes the spans of requests and statements; nil: none
	StoreSystem      string       // the store's name in spans: OpenTelemetry's db.system.name

	Keys         func() Keys  // by which tokens are judged; nil: they do not change
	AuthReady    func() error // why no token can be judged yet, for /readyz; nil: they can
	LoopbackOnly bool         // refuse requests whose Host header names another host than loopback
	CORSOrigins  []string     // whose pages may read answers: see [CheckOrigin]; none: no other's
}

// API serves HTTP. Make it with [New].
type API struct {
	config       Config
	metrics      *metrics
	spans        *spans // nil: none
	gate         *gate
	budget       *memory.Budget // of large answers
	bodies       *memory.Room   // of large requests
	documents    *documents
	subjectRates *rates.Buckets[string]
	addressRates *rates.Buckets[netip.Prefix]
	badTokens    *rates.Buckets[netip.Prefix]  // of addresses
	work         *rates.Buckets[memory.Client] // nil: any amount
	writes       rates.Writes
	origins      *cors.Cors // whose pages may use the API; nil: no others than ours
	live         admission  // of WebSockets and event streams
	sockets      *graphqlws.Server
	handler      http.Handler
	changing     sync.Mutex // of state
	state        atomic.Pointer[state]
	leaving      atomic.Bool // for good
}

var _ http.Handler = (*API)(nil)

// New returns an API that has no store yet.
func New(c Config) *API {
	c.Log = cmp.Or(c.Log, slog.Default())
	c.RequestTimeout = cmp.Or(c.RequestTimeout, 10*time.Second)
	c.Limits = cmp.Or(c.Limits, DefaultLimits)
	c.MetricOperations = cmp.Or(c.MetricOperations, 100)
	c.Live = c.Live.withDefaults()
	a := &API{
		config: c, origins: newOrigins(c.CORSOrigins), documents: newDocuments(c), gate: newGate(c.Limits.Concurrent, c.Limits.Queued, c.Limits.Patience), spans: newSpans(c.Tracer, c.StoreSystem),
		subjectRates: rates.New[string](c.Limits.SubjectRate, 2), addressRates: rates.New[netip.Prefix](c.Limits.AddressRate, 2),
		badTokens: rates.New[netip.Prefix](c.Limits.AddressRate, 2),
		work:      rates.New[memory.Client](c.Limits.WorkRate, workAtOnce), writes: rates.NewWrites(c.Limits.Writes),
	}
	a.budget, a.bodies = memory.New(c.Limits.Answer, c.Limits.Answers), memory.NewRoom(c.Limits.Bodies, smallBody)
	a.metrics = newMetrics(c.MetricOperations, a.state.Load, func() float64 { return float64(a.gate.waiting.Load()) })
	if c.Keys != nil {
		a.metrics.registry.MustRegister(newKeys(c.Keys))
	}
	a.live.most, a.live.perClient = c.Limits.Live, c.Limits.LivePerClient
	a.sockets = graphqlws.New(graphqlws.Config{
		MaxMessage: c.Limits.Body, MaxStreams: c.Limits.Subscriptions,
		InitTimeout: c.Live.InitTimeout, KeepAlive: c.Live.KeepAlive, WriteTimeout: c.Live.WriteTimeout,
		Opened: a.metrics.sockets.Inc, Closed: a.metrics.closed,
	})
	hints := hint.New(hint.Config{Log: c.Log, Proxies: c.TrustedProxies, NoForwarded: c.ProxyProtocol, Kept: a.keptOut,
		Count: func(flag string) { a.metrics.hints.WithLabelValues(flag).Inc() }})
	a.Wait("the server is starting")
	a.handler = a.shedding(a.recorded(a.traced(a.guarded(secured(a.onLoopback(hints.Handler(a.crossOrigin(a.routes()))))))))
	return a
}

func (a *API) routes() http.Handler {
	mux := http.NewServeMux()
	api := a.byTransport(a.authenticated(http.HandlerFunc(a.webSocket)), a.compressed(a.authenticated(http.HandlerFunc(a.graphql))))
	if !a.config.NoPlayground {
		page := playground.Handler(playground.Config{DevSubject: a.config.DevSubject})
		mux.Handle("/playground", page)
		mux.Handle("/playground/", page)
		api = toPlayground(api)
	}
	mux.Handle(graphqlPath, api)
	for pattern, handler := range web.Handlers(web.Config{DevSubject: a.config.DevSubject}) {
		mux.Handle(pattern, handler)
	}
	if !a.config.OperatorsApart {
		a.forOperators(mux)
	}
	if a.config.SDL != "" {
		mux.HandleFunc("GET "+schemaPath, a.schema)
	}
	return a.orNotFound(mux)
}

func (a *API) forOperators(mux *http.ServeMux) {
	mux.HandleFunc("GET /livez", a.livez)
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("GET /metrics", a.metrics.handler())
}

// Operators returns what answers probes and serves metrics, for a listener of its own. No rate and no
// queue keeps it from answering.
func (a *API) Operators() http.Handler {
	mux := http.NewServeMux()
	a.forOperators(mux)
	return a.recorded(a.guarded(secured(a.onLoopback(mux))))
}

// orNotFound shows a page to a browser that went to an address which is none. Programs get a line of text.
func (a *API) orNotFound(mux *http.ServeMux) http.Handler {
	page := web.NotFound(web.Config{DevSubject: a.config.DevSubject})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wantsPage(r) {
			if _, pattern := mux.Handler(r); pattern == "" {
				page.ServeHTTP(w, r)
				return
			}
		}
		mux.ServeHTTP(w, r)
	})
}

// toPlayground sends a browser that goes to the API's address, and asks nothing, to the playground.
func toPlayground(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" && wantsPage(r) {
			w.Header().Set("Cache-Control", "no-store") // programs get something else here
			http.Redirect(w, r, "/playground", http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wantsPage reports whether a request is a browser's, of somebody who goes to an address.
func wantsPage(r *http.Request) bool {
	return isSafe(r.Method) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// byTransport chooses between what answers a WebSocket's handshake and what answers a request.
func (a *API) byTransport(webSocket, request http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if graphqlws.IsHandshake(r) {
			webSocket.ServeHTTP(w, r)
			return
		}
		request.ServeHTTP(w, r)
	})
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.leaving.Load() {
		w.Header().Set("Connection", "close") // the client's next connection leads elsewhere
	}
	a.handler.ServeHTTP(w, r)
}

// RefusedConnection counts a connection that was closed because there are too many.
func (a *API) RefusedConnection() { a.metrics.limited.WithLabelValues(limitConnections).Inc() }

// Observer counts a store's statements in /metrics and in the access log, and makes
// spans of them where there is a tracer.
func (a *API) Observer() blog.Observer { return observer{a.metrics, a.spans} }

func (a *API) schema(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(a.config.SDL))
}
