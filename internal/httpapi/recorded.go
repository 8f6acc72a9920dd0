package httpapi

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"go.opentelemetry.io/otel/propagation"

	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
	"broadsheet/resolvers"
)

// sane is a request id that may be repeated in logs and headers.
var sane = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID returns the client's id of a request, where it brings one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && sane.MatchString(id) {
		return id
	}
	return rand.Text()
}

// recorded gives each request an id, writes one log line for it, and counts it.
func (a *API) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := record.New(requestID(r), record.OriginOf(r, a.config.TrustedProxies.Client(r)))
		w.Header().Set("X-Request-Id", rec.Asker.RequestID)
		ctx := rec.In(r.Context())
		a.metrics.InFlight.Inc()
		defer func() {
			a.metrics.InFlight.Dec()
			a.answered(ctx, rec, time.Since(began))
		}()
		next.ServeHTTP(&recorder{ResponseWriter: w, record: rec}, r.WithContext(ctx))
	})
}

// answered counts a request and writes its line, if it has one: it failed, or is one of few, or the Nth of many.
func (a *API) answered(ctx context.Context, rec *record.Record, took time.Duration) {
	a.metrics.Request(rec, took)
	if rec.Failed() || a.logged.take(time.Now().Unix(), max(1, a.config.LogEvery)) {
		rec.Log(ctx, a.config.Log, took)
	}
}

// alwaysLogged is how many requests in a second all have a line.
const alwaysLogged = 100

// sampler takes the first of a second, and one of so many that follow in it.
type sampler struct{ second, n atomic.Int64 }

func (s *sampler) take(second int64, every uint64) bool {
	if was := s.second.Load(); was != second && s.second.CompareAndSwap(was, second) {
		s.n.Store(0)
	}
	n := s.n.Add(1)
	return n <= alwaysLogged || uint64(n)%every == 0
}

// traced makes a span of each GraphQL request, below the caller's that a traceparent header (W3C Trace Context) names.
func (a *API) traced(next http.Handler) http.Handler {
	if a.spans == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != graphqlPath || graphqlws.IsHandshake(r) { // a socket's operations have their own
			next.ServeHTTP(w, r)
			return
		}
		ctx := a.spans.Begin(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
		defer a.spans.End(ctx)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// guarded answers for handlers that panic. What resolvers panic with is caught before.
func (a *API) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause)
			}
			a.logPanic(r.Context(), slog.LevelError, "a handler panicked", cause)
			if rec := record.Of(r.Context()); rec == nil || rec.Status == 0 {
				writeResponse(w, r, http.StatusInternalServerError, &graphql.Response{Errors: internalErrors(r.Context())})
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// recorder notes the status and the size of a response.
type recorder struct {
	http.ResponseWriter
	record *record.Record
}

func (w *recorder) WriteHeader(status int) {
	if w.record.Status == 0 {
		w.record.Status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.record.Status == 0 {
		w.record.Status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.record.Bytes += int64(n)
	return n, err
}

// Flush is for what is between the handler and here, as compression.
func (w *recorder) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Hijack is for WebSockets.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.record.Status = http.StatusSwitchingProtocols
	}
	return conn, buffers, err
}

// Unwrap is for [http.ResponseController].
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// caught is deferred where a request is prepared: what panics there is caused by what the client sent, and no new try
// mends it.
func (a *API) caught(ctx context.Context, errs *gqlerror.List) {
	cause := recover()
	if cause == nil {
		return
	}
	a.logPanic(ctx, slog.LevelWarn, "a request can't be prepared", cause)
	*errs = refusal.New(refusal.CodeBadUserInput, "the server can't read this document with these variables").List()
}

func (a *API) logPanic(ctx context.Context, level slog.Level, message string, cause any) {
	a.config.Log.Log(ctx, level, message, "request", resolvers.AskerOf(ctx).RequestID, "error", fmt.Sprint(cause), "stack", string(debug.Stack()))
}
