package httpapi

import (
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

// shedding refuses what there is no room for before anything else is done with it: under
// overload the time that a refusal takes is taken from the requests that are answered. Such a
// request has no id, and no line in the log; the metrics count it.
func (a *API) shedding(next http.Handler) http.Handler {
	busy := secured(a.crossOrigin(a.busy()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == graphqlPath && (a.gate.full() || waited(r.Context()) > a.gate.patience) {
			busy.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *API) busy() http.Handler {
	counted := a.metrics.Requests.WithLabelValues(record.OperationUnknown, refusal.CodeUnavailable)
	limited := a.metrics.Limited.WithLabelValues(limit.Concurrency.String())
	body := bodyOf(&graphql.Response{Errors: errBusy.List()}).join()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted.Inc()
		limited.Inc()
		h := w.Header()
		h.Set("Content-Type", accepted(r)+"; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("Retry-After", "1")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write(body) // the client has left
	})
}
