package httpapi

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/rs/cors"

	"broadsheet/blog"
	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
)

// API serves HTTP. Make it with [New].
type API struct {
	config    Config
	metrics   *record.Metrics
	spans     *record.Spans // nil: none
	gate      *gate
	answers   *client.Answers // large ones
	bodies    *client.Room    // of large requests
	documents *documents
	clients   *client.Clients
	origins   *cors.Cors // whose pages may use the API; nil: no others than ours
	hints     hints
	live      *client.Room // of WebSockets and event streams
	sockets   *graphqlws.Server
	handler   http.Handler
	changing  sync.Mutex // of state
	state     atomic.Pointer[state]
	leaving   atomic.Bool  // for good
	inFlight  atomic.Int64 // how many requests are being answered
	logged    sampler
	idle      chan struct{} // has room for one: none is
}

var _ http.Handler = (*API)(nil)

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.leaving.Load() {
		w.Header().Set("Connection", "close") // the client's next connection leads elsewhere
	}
	a.inFlight.Add(1)
	defer func() {
		if a.inFlight.Add(-1) == 0 {
			select {
			case a.idle <- struct{}{}:
			default:
			}
		}
	}()
	a.handler.ServeHTTP(w, r)
}

// Connections returns the connections of a listener, within the API's limits.
func (a *API) Connections(l net.Listener) *Connections {
	return &Connections{Listener: l, api: a, open: newSlots(a.config.Limits.Int(limit.Connections), a.config.Limits.Int(limit.ConnectionsPerClient))}
}

// Observer counts a store's statements in /metrics and in the access log, and makes
// spans of them where there is a tracer.
func (a *API) Observer() blog.Observer { return record.Observer{Metrics: a.metrics, Spans: a.spans} }
