package plan

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// Stream follows a subscription. Subscribed begins to, and returns what waits for the next
// event, or nil where it can't begin, which it has reported. Write writes events.
func Stream[E any](exec E, ctx context.Context, p *Plan, subscribed func(E, context.Context, *Field) func(context.Context) (any, bool), write Write[E, struct{}]) graphql.ResponseHandler {
	if len(p.query.fields) != 1 {
		graphql.AddErrorf(ctx, "must subscribe to exactly one stream")
		return nil
	}
	next := subscribed(exec, graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: p.root}), &p.query.fields[0])
	return func(ctx context.Context) *graphql.Response {
		event, ok := next(ctx)
		if !ok {
			return nil
		}
		return &graphql.Response{Data: Execute(exec, context.WithValue(ctx, eventKey{}, event), p, write)}
	}
}

type eventKey struct{}

// Event returns the event that is dispatched.
func Event[T any](ctx context.Context) T { return ctx.Value(eventKey{}).(T) }

// Events returns what waits for the next of a resolver's events; nil where that has failed, which
// is reported.
func Events[T any](ctx context.Context, events <-chan T, err error) func(context.Context) (any, bool) {
	if err != nil {
		Fail(ctx, err)
		return nil
	}
	return func(ctx context.Context) (any, bool) {
		select {
		case event, ok := <-events:
			return event, ok
		case <-ctx.Done():
			return nil, false
		}
	}
}
