package httpapi

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/pace"
	"broadsheet/internal/refusal"
)

// gate lets so many requests be executed at once. Others wait for their turn, but neither
// many nor for long: under overload it is better to answer some in time, and the rest at
// once that there is no room, than all too late.
type gate struct {
	slots    pace.Places
	waiting  atomic.Int64
	queued   int64
	patience time.Duration
}

func newGate(limits *limit.Values) *gate {
	return &gate{slots: pace.NewPlaces(limits.Int(limit.Concurrency)), queued: int64(limits[limit.Queue]), patience: limits.Time(limit.QueueTime)}
}

// full reports whether enter would find neither a place nor room to wait.
func (g *gate) full() bool {
	return g.slots != nil && len(g.slots) == cap(g.slots) && g.waiting.Load() >= g.queued
}

// enter takes a place, which leave gives back. ok is false where there is none.
func (g *gate) enter(ctx context.Context) (leave func(), ok bool) {
	if ok = g.slots.Try(); !ok {
		defer g.waiting.Add(-1)
		ok = g.waiting.Add(1) <= g.queued && g.slots.Take(ctx.Done(), g.patience)
	}
	return g.slots.Leave, ok
}

// shedding refuses what there is no room for before anything else is done with it: under
// overload the time that a refusal takes is taken from the requests that are answered. Such a
// request has no id, and no line in the log; the metrics count it.
func (a *API) shedding(next http.Handler) http.Handler {
	counted := a.metrics.Requests.WithLabelValues(record.OperationUnknown, refusal.CodeUnavailable)
	limited := a.metrics.Limited.WithLabelValues(limit.Concurrency.String())
	busy := secured(a.crossOrigin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted.Inc()
		limited.Inc()
		refuse(w, r, errBusy)
	})))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == graphqlPath && (a.gate.full() || waited(r.Context()) > a.gate.patience) {
			busy.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// crowd is how many connections never have a request refused for having waited: twice the
// 64 that meet no limit, for those that were closed just now may still be counted.
const crowd = 128

type connectionKey struct{}

// ConnContext is for [http.Server].ConnContext: requests then know what they came on.
func (c *Connections) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// waited returns how long a request's last bytes have waited to be read, where there are many connections; 0 where
// there are few, or where the system does not say. A server that has more to do than it can does not notice by
// itself: requests wait in the sockets and in the scheduler's queue until a goroutine comes to read them, and each is
// then executed in no time, however late.
func waited(ctx context.Context) time.Duration {
	conn, ok := ctx.Value(connectionKey{}).(*counted)
	if !ok || conn.listener.open.Taken() <= crowd {
		return 0
	}
	inner := conn.Conn
	if proxied, ok := inner.(interface{ Raw() net.Conn }); ok {
		inner = proxied.Raw()
	}
	if socket, ok := inner.(syscall.Conn); ok {
		return sinceReceived(socket)
	}
	return 0
}
