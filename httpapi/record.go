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
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/resolvers"
)

// record is what the access log and the metrics say of one request.
type record struct {
	asker  resolvers.Asker
	media  string // to answer in, as negotiated; empty: not yet, or none
	events bool   // text/event-stream is named among what is accepted

	status    int
	bytes     int64
	graphql   bool
	transport string // websocket, sse; empty: HTTP's request and response
	operation string // query, mutation, subscription; operationUnknown
	name      string // of the operation, as the client gave it
	code      string // of the first error; OK where there is none
	cost      int    // of the operation; costUnknown: it was not found out
	limits    []string

	budget budget // of its client

	subscription prometheus.Gauge // counts it while it is open; nil: it is none, or is not open

	// Statements may end after the answer has left.
	statements, partitions atomic.Int64

	mu    sync.Mutex
	attrs []slog.Attr // what noteAttrs was given
}

const costUnknown = -1

// limited notes that the request is beyond a limit.
func (r *record) limited(limit string) {
	if r != nil && !slices.Contains(r.limits, limit) {
		r.limits = append(r.limits, limit)
	}
}

// unsubscribed counts a subscription off that was opened.
func (r *record) unsubscribed() {
	if r.subscription != nil {
		r.subscription.Dec()
	}
}

func (r *record) noted() []slog.Attr {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.attrs
}

type recordKey struct{}

// recordOf returns the request's record, nil outside of a request.
func recordOf(ctx context.Context) *record {
	r, _ := ctx.Value(recordKey{}).(*record)
	return r
}

// note records the outcome of a GraphQL request.
func note(ctx context.Context, response *graphql.Response) {
	r := recordOf(ctx)
	if r == nil {
		return
	}
	r.graphql, r.code = true, "OK"
	if len(response.Errors) > 0 {
		r.code = codeOf(response.Errors[0])
	}
	if r.code == codeTimeout && errors.Is(ctx.Err(), context.Canceled) {
		r.code = codeClientLeft
		return
	}
	for _, err := range response.Errors {
		if limit := limitOf(err); limit != "" {
			r.limited(limit)
		}
		if codeOf(err) == codeTimeout {
			r.limited(limitDeadline)
		}
	}
}

func noteOperation(ctx context.Context, op *ast.OperationDefinition) {
	if r := recordOf(ctx); r != nil {
		r.operation, r.name = string(op.Operation), op.Name
	}
}

// noteStatement counts a statement on the record of the request that made it.
func noteStatement(ctx context.Context, s blog.Statement) {
	if r := recordOf(ctx); r != nil {
		r.statements.Add(1)
		r.partitions.Add(int64(s.Partitions))
	}
}

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
		rec := newRecord(requestID(r))
		w.Header().Set("X-Request-Id", rec.asker.RequestID)
		ctx := rec.in(r.Context())
		a.metrics.inFlight.Inc()
		defer func() {
			a.metrics.inFlight.Dec()
			took := time.Since(began)
			a.metrics.request(rec, took)
			a.access(ctx, rec, took, func() origin { return a.originOf(r) })
		}()
		next.ServeHTTP(&recorder{ResponseWriter: w, record: rec}, r.WithContext(ctx))
	})
}

func newRecord(id string) *record {
	return &record{operation: operationUnknown, cost: costUnknown, asker: resolvers.Asker{RequestID: id}}
}

// in returns a context of the request that is recorded.
func (r *record) in(ctx context.Context) context.Context {
	return context.WithValue(resolvers.WithAsker(ctx, &r.asker), recordKey{}, r)
}

// guarded answers for handlers that panic. What resolvers panic with is caught
// before it comes here.
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
			a.config.Log.ErrorContext(r.Context(), "a handler panicked", "request", resolvers.AskerOf(r.Context()).RequestID,
				"error", fmt.Sprint(cause), "stack", string(debug.Stack()))
			if rec := recordOf(r.Context()); rec == nil || rec.status == 0 {
				refuse(w, r, http.StatusInternalServerError, codeInternal, "internal error")
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// recorder notes the status and the size of a response.
type recorder struct {
	http.ResponseWriter
	record *record
}

func (w *recorder) WriteHeader(status int) {
	if w.record.status == 0 {
		w.record.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.record.status == 0 {
		w.record.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.record.bytes += int64(n)
	return n, err
}

// Flush is for what is between the handler and here, as compression.
func (w *recorder) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Hijack is for WebSockets.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.record.status = http.StatusSwitchingProtocols
	}
	return conn, buffers, err
}

// Unwrap is for [http.ResponseController].
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
