package httpapi

import (
	"net/http"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

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
