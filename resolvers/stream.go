package resolvers

import "context"

// Stream is what a subscription and the transport that carries it know of each other, beside the
// events. It is used by the goroutine that asks for them.
type Stream struct {
	After  string // the cursor behind which a client goes on that comes back; empty: the operation says
	Cursor string // of the event that was delivered last; empty: it has none
}

type streamKey struct{}

// WithStream returns a context for a subscription.
func WithStream(ctx context.Context, s *Stream) context.Context {
	return context.WithValue(ctx, streamKey{}, s)
}

// streamOf returns the stream of a subscription: one that is read by nothing where its transport
// has none.
func streamOf(ctx context.Context) *Stream {
	if s, ok := ctx.Value(streamKey{}).(*Stream); ok {
		return s
	}
	return &Stream{}
}

// resumed returns the cursor behind which a subscription begins, of which the operation says
// that it be after.
func resumed(ctx context.Context, after *string) *string {
	if s := streamOf(ctx); s.After != "" {
		return &s.After
	}
	return after
}
