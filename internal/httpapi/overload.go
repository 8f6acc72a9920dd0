package httpapi

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/pace"
	"broadsheet/internal/refusal"
)

// gate lets so many requests be executed at once. Others wait for their turn, but neither many nor for long: under
// overload it is better to answer some in time, and to refuse the rest at once, than to answer all too late.
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

// shedding refuses what there is no room for before anything else is done with it: the time that a refusal takes is
// taken from the requests that are answered. Such a request has no id, and no line in the log; the metrics count it.
func (a *API) shedding(next http.Handler) http.Handler {
	counted := a.metrics.Requests.WithLabelValues(record.OperationUnknown, refusal.CodeUnavailable)
	limited := a.metrics.Limited.WithLabelValues(limit.Concurrency.String())
	busy := secured(a.crossOrigin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted.Inc()
		limited.Inc()
		refuse(w, r, errBusy)
	})))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == graphqlPath && a.gate.full() {
			busy.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
