package record

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/refusal"
	"broadsheet/resolvers"
)

// Record is what the access log, the metrics and traces say of one request.
type Record struct {
	Origin Origin
	Asker  resolvers.Asker
	Media  string // to answer in, as negotiated; empty: not yet, or none
	Events bool   // text/event-stream is named among what is accepted

	Status    int
	Bytes     int64
	GraphQL   bool
	Transport string // websocket, sse; empty: HTTP's request and response
	Operation string // query, mutation, subscription; OperationUnknown
	Name      string // of the operation, as the client gave it
	Code      string // of the first error; OK where there is none
	Cost      int    // of the operation; CostUnknown: it was not found out
	limits    []string

	Subscription prometheus.Gauge // counts it while it is open; nil: it is none, or is not open

	// Statements may end after the answer has left.
	statements, partitions atomic.Int64

	trace string // its id, in the log; empty: there is none
}

// CostUnknown is the cost of an operation that was refused before it was found out.
const CostUnknown = -1

// New returns the record of a request that begins.
func New(id string, from Origin) *Record {
	return &Record{Origin: from, Operation: OperationUnknown, Cost: CostUnknown, Asker: resolvers.Asker{RequestID: id}}
}

type recordKey struct{}

// In returns a context of the request that is recorded.
func (r *Record) In(ctx context.Context) context.Context {
	return context.WithValue(resolvers.WithAsker(ctx, &r.Asker), recordKey{}, r)
}

// Limited notes that the request is beyond a limit.
func (r *Record) Limited(limit string) {
	if r != nil && !slices.Contains(r.limits, limit) {
		r.limits = append(r.limits, limit)
	}
}

// Unsubscribed counts a subscription off that was opened.
func (r *Record) Unsubscribed() {
	if r.Subscription != nil {
		r.Subscription.Dec()
	}
}

// Statements returns how many statements the request has made, and how many partitions they touched.
func (r *Record) Statements() (statements, partitions int64) {
	return r.statements.Load(), r.partitions.Load()
}

// Of returns the request's record, nil outside of a request.
func Of(ctx context.Context) *Record {
	r, _ := ctx.Value(recordKey{}).(*Record)
	return r
}

// Note records the outcome of a GraphQL request.
func Note(ctx context.Context, response *graphql.Response) {
	r := Of(ctx)
	if r == nil {
		return
	}
	r.GraphQL, r.Code = true, "OK"
	if len(response.Errors) > 0 {
		r.Code = refusal.CodeOf(response.Errors[0])
	}
	if r.Code == refusal.CodeTimeout && errors.Is(ctx.Err(), context.Canceled) {
		r.Code = refusal.CodeClientLeft
		return
	}
	for _, err := range response.Errors {
		if limit := refusal.LimitOf(err); limit != "" {
			r.Limited(limit)
		}
		if refusal.CodeOf(err) == refusal.CodeTimeout {
			r.Limited(limit.Deadline.String())
		}
	}
}

// Bound keeps an answer to a request that is wrong all over from being larger than the request.
func Bound(ctx context.Context, response *graphql.Response) {
	if len(response.Errors) > refusal.MaxErrors {
		Of(ctx).Limited(refusal.LimitErrors)
		response.Errors = response.Errors[:refusal.MaxErrors:refusal.MaxErrors]
	}
	for i, err := range response.Errors {
		// A message in bytes is not shorter than in code points.
		if len(err.Message) <= refusal.MaxErrorMessage {
			continue
		}
		if text := []rune(err.Message); len(text) > refusal.MaxErrorMessage {
			short := *err
			short.Message = string(text[:refusal.MaxErrorMessage-1]) + "…"
			response.Errors[i] = &short
		}
	}
}
