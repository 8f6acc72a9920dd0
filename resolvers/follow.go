package resolvers

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// follower is a subscription under way. Its transport asks for one event after the other, and so
// there is no goroutine beside the transport's own: an event waits in the channel that the
// resolver has returned, which has room for one.
type follower struct {
	by      *Resolver
	asker   *Asker             // on whose behalf it is
	asked   any                // what it asks, where the answer is the same for every subscriber; nil: it may not be
	waiting context.Context    // ends with the token, or with the subscription
	release context.CancelFunc // of what waiting holds; nil: nothing
	event   any                // that is delivered
	next    func(context.Context) (deliver func(), err error)
	over    bool
}

type followerKey struct{}

// events returns the channel through which events are delivered. It is called once for a subscription.
func events[E any](ctx context.Context, next func(context.Context) (E, error), cursor func(E) string) <-chan E {
	events := make(chan E, 1)
	f := ctx.Value(followerKey{}).(*follower)
	f.next = func(ctx context.Context) (func(), error) {
		event, err := next(ctx)
		f.event, f.asker.Cursor = event, cursor(event)
		return func() {
			select {
			case <-events: // one that was not taken
			default:
			}
			events <- event
		}, err
	}
	return events
}

// follow answers with the events of a subscription, one with each call. Where it ends with an error, the last answer has no data.
func (f *follower) follow(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	responses := next(context.WithValue(ctx, followerKey{}, f))
	if f.next == nil {
		return responses // why it can't begin
	}
	f.waiting = ctx
	if !f.asker.Expires.IsZero() {
		f.waiting, f.release = context.WithDeadline(ctx, f.asker.Expires)
	}
	dispatch := func(ctx context.Context, deliver func()) *graphql.Response {
		ctx, cancel := context.WithTimeout(ctx, f.by.config.EventTimeout)
		defer cancel()
		f.asker.Work.Pay(1)
		return f.shared(ctx, func(ctx context.Context) *graphql.Response {
			f.asker.Work.Pay(f.asker.Cost)
			deliver()
			return f.by.consistent(ctx, responses, func() graphql.ResponseHandler { deliver(); return responses })
		})
	}
	// It waits here, in few frames, as ADR 0056 asks.
	return func(ctx context.Context) *graphql.Response {
		if f.over || ctx.Err() != nil {
			return nil
		}
		if err := cmp.Or(f.waiting.Err(), f.asker.Work.Wait(f.waiting)); err != nil {
			return f.end(ctx, err)
		}
		deliver, err := f.next(f.waiting)
		if err != nil {
			return f.end(ctx, err)
		}
		return dispatch(ctx, deliver)
	}
}

var errTokenExpired = errors.New("the token has expired: subscribe again with a new one, after the last cursor")

// end returns the last answer, nil where there is none.
func (f *follower) end(ctx context.Context, err error) *graphql.Response {
	if f.over = true; f.release != nil {
		defer f.release()
	}
	switch {
	case ctx.Err() != nil || err == io.EOF:
		return nil
	case f.waiting.Err() != nil:
		err = errTokenExpired
	}
	return &graphql.Response{Errors: gqlerror.List{f.by.present(ctx, ending(err))}}
}

// maxShared is how many bytes an answer may have that is kept for others.
const maxShared = 64 << 10

// errOwn says that an answer is its maker's alone: it is large, or has errors, which may have passed
// when it is made again.
var errOwn = errors.New("the answer is not shared")

// sharedBy is what answers with an event have in common. Streams that were resumed have cursors of
// their own: what another stream has passed of other servers' changes, they may have to deliver.
type sharedBy struct {
	asked  any
	cursor string
}

// shared makes the answer with an event, or takes that of another subscriber that asks the same at
// the same place.
func (f *follower) shared(ctx context.Context, make func(context.Context) *graphql.Response) *graphql.Response {
	of, shares := f.event.(interface {
		Share(ctx context.Context, key any, make func(context.Context) (any, error)) (any, error)
	})
	if f.asked == nil || !shares {
		return make(ctx)
	}
	var own *graphql.Response
	made, err := of.Share(ctx, sharedBy{f.asked, f.asker.Cursor}, func(ctx context.Context) (any, error) {
		if own = make(ctx); own == nil || own.Errors != nil || len(own.Data) > maxShared {
			return nil, errOwn
		}
		return own, nil
	})
	switch {
	case err == nil:
		response := *made.(*graphql.Response)
		return &response
	case own != nil:
		return own
	default:
		return make(ctx)
	}
}
