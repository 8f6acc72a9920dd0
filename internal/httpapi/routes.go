package httpapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"strings"

	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/playground"
	"broadsheet/internal/httpapi/record"
	"broadsheet/web"
)

// New returns an API that has no store yet.
func New(c Config) *API {
	c.Log = cmp.Or(c.Log, slog.Default())
	c.Limits = cmp.Or(c.Limits, limit.Default)
	c.Live.MaxMessage, c.Live.MaxStreams = int64(c.Limits[limit.Body]), c.Limits.Int(limit.Subscriptions)
	c.Live = c.Live.WithDefaults()
	a := &API{
		config: c, origins: newOrigins(c.CORSOrigins), documents: newDocuments(c), gate: newGate(&c.Limits), spans: record.NewSpans(c.Tracer, c.StoreSystem),
		idle: make(chan struct{}, 1), clients: client.New(c.Limits[limit.Work], c.Limits[limit.Writes]),
	}
	a.answers = client.NewAnswers(c.Limits.Int(limit.Answer), c.Limits.Int(limit.Answers))
	a.bodies = &client.Room{Most: c.Limits.Int(limit.Bodies), Small: smallBody, Full: errFull}
	a.live = newSlots(c.Limits.Int(limit.LiveConnections), c.Limits.Int(limit.LiveConnectionsPerClient))
	a.sockets = graphqlws.New(c.Live)
	a.Wait("the server is starting")
	a.metrics = record.NewMetrics(c.Limits.Int(limit.MetricOperations), a.shown)
	a.handler = a.shedding(a.recorded(a.traced(a.guarded(secured(a.onLoopback(a.hinted(a.crossOrigin(a.routes()))))))))
	return a
}

func (a *API) routes() http.Handler {
	mux := http.NewServeMux()
	requests, sockets := compressed(a.config.CompressFrom, a.authenticated(http.HandlerFunc(a.graphql))), a.authenticated(http.HandlerFunc(a.webSocket))
	var api http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if graphqlws.IsHandshake(r) {
			sockets.ServeHTTP(w, r)
			return
		}
		requests.ServeHTTP(w, r)
	})
	if !a.config.NoPlayground {
		page := playground.Handler(a.config.SignIn.DevSubject)
		mux.Handle("/playground", page)
		mux.Handle("/playground/", page)
		api = toPlayground(api)
	}
	mux.Handle(graphqlPath, api)
	app := web.New(a.config.SignIn)
	for pattern, handler := range app.Handlers() {
		mux.Handle(pattern, handler)
	}
	for pattern, view := range app.Views() {
		mux.Handle(pattern, app.Secured(a.view(view)))
	}
	mux.HandleFunc("GET /robots.txt", a.robots)
	if !a.config.OperatorsApart {
		a.forOperators(mux)
	}
	if a.config.SDL != "" {
		mux.HandleFunc("GET "+schemaPath, a.schema)
	}
	return a.orNotFound(mux, app)
}

func (a *API) forOperators(mux *http.ServeMux) {
	mux.HandleFunc("GET /livez", a.livez)
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("GET /metrics", a.metrics.Handler())
}

// Operators returns what answers probes and serves metrics, for a listener of its own. No rate and no
// queue keeps it from answering.
func (a *API) Operators() http.Handler {
	mux := http.NewServeMux()
	a.forOperators(mux)
	return a.recorded(a.guarded(secured(a.onLoopback(mux))))
}

// orNotFound shows a page to a browser that went to an address which is none. Programs get a line of text.
func (a *API) orNotFound(mux *http.ServeMux, app *web.App) http.Handler {
	shown := app.NotFound()
	page := app.Secured(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.writeView(w, r, shown) }))
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

// wantsPage reports whether a request is a browser's that goes to an address.
func wantsPage(r *http.Request) bool {
	return isSafe(r.Method) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

func (a *API) schema(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(a.config.SDL))
}
