package httpapi

import (
	"cmp"
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

// sink takes the answers to an operation where there may be several: of a WebSocket, or of an event stream.
type sink interface {
	// next takes an answer, and its event's cursor, if it has one. It is false where none is wanted any more.
	next(answer body, cursor string) bool
	// fail ends the operation by errors: it was not executed, or its stream can't go on.
	fail(errs gqlerror.List)
	// complete ends it: all answers were sent.
	complete()
	// ended returns why the client gets no more answers; nil: it may.
	ended(ctx context.Context) error
}

// reply gives an operation's answers to its sink, and returns at their end.
type reply func()

// reply executes a query or a mutation, or opens a subscription, which ends with ctx. What it returns sends the
// answers.
func (a *API) reply(ctx context.Context, s *state, p *prepared, to sink) reply {
	switch {
	case p.errs != nil:
		errs := s.refused(ctx, p).Errors
		return func() { a.fail(ctx, to, errs) }
	case p.Operation.Operation == ast.Subscription:
		return a.subscribe(ctx, s, p, to)
	}
	response, data := a.execute(ctx, s, p)
	return func() {
		response, release := a.hold(ctx, p, response, data)
		defer release()
		record.Note(ctx, response)
		if a.send(ctx, to, response, "") {
			to.complete()
		}
	}
}

// send sends one answer.
func (a *API) send(ctx context.Context, to sink, response *graphql.Response, cursor string) bool {
	record.Bound(ctx, response)
	return to.next(bodyOf(response), cursor)
}

// fail ends an operation by errors.
func (a *API) fail(ctx context.Context, to sink, errs gqlerror.List) {
	response := &graphql.Response{Errors: errs}
	record.Bound(ctx, response)
	record.Note(ctx, response)
	if rec := record.Of(ctx); rec.Code == refusal.CodeSlowConsumer {
		a.metrics.SlowConsumers.WithLabelValues(rec.Transport).Inc()
	}
	to.fail(response.Errors)
}

// subscribe opens a subscription's stream of events, which begins before the deadline, and has none.
func (a *API) subscribe(ctx context.Context, s *state, p *prepared, to sink) reply {
	a.documents.keep(p.hash, p.params.Query)
	ctx, end := context.WithCancelCause(ctx)
	late := time.AfterFunc(time.Until(p.deadline), func() { end(context.DeadlineExceeded) })
	responses, ctx := s.exec.DispatchOperation(ctx, p.OperationContext)
	late.Stop()
	rec := record.Of(ctx)
	rec.Subscription = a.metrics.Subscriptions.WithLabelValues(rec.Transport)
	rec.Subscription.Inc() // see [record.Record.Unsubscribed]
	return func() {
		for a.dispatch(ctx, p, to, responses(ctx)) {
		}
	}
}

// dispatch sends what came of an event, and reports whether there may be another.
func (a *API) dispatch(ctx context.Context, p *prepared, to sink, response *graphql.Response) bool {
	if response == nil {
		a.end(ctx, to)
		return false
	}
	response, release := a.hold(ctx, p, response, &data{text: response.Data})
	defer release()
	switch {
	case len(response.Data) == 0 && len(response.Errors) > 0: // it did not begin, or can't go on
		a.fail(ctx, to, response.Errors)
		return false
	case !a.send(ctx, to, response, record.Of(ctx).Asker.Cursor):
		a.end(ctx, to)
		return false
	}
	a.metrics.Events.WithLabelValues(record.Of(ctx).Transport).Inc()
	return true
}

// end says why a subscription's events have ended without an error: they are complete, or its context has ended.
func (a *API) end(ctx context.Context, to sink) {
	cause := to.ended(ctx)
	if cause == nil || cause == graphqlws.ErrCompleted {
		record.Note(ctx, &graphql.Response{})
		to.complete()
		return
	}
	a.fail(ctx, to, cmp.Or(endings[cause], clientLeft).List())
}

// endings are what a client is sent where its stream is ended.
var endings = map[error]*refusal.Error{
	graphqlws.ErrLeaving: refusal.New(refusal.CodeShuttingDown, "the server is shutting down: subscribe again, after the last cursor"),
	graphqlws.ErrExpired: refusal.New(refusal.CodeUnauthenticated, "the token has expired: subscribe again, with a new one"),
	graphqlws.ErrRefused: refusal.New(refusal.CodeUnauthenticated, "the token is taken no more: subscribe again, with a new one"),
	graphqlws.ErrSlow:    refusal.New(refusal.CodeSlowConsumer, "events were not read in time: subscribe again, after the last cursor"),
}

var clientLeft = refusal.New(refusal.CodeClientLeft, "the client has left")
