package record

import (
	"context"

	"broadsheet/blog"
)

// Observer counts a store's statements in the metrics and on the record of the request that made them, and makes
// spans of them.
type Observer struct {
	Metrics *Metrics
	Spans   *Spans // nil: no traces
}

var _ blog.Observer = Observer{}

// Statement is the method of [blog.Observer].
func (o Observer) Statement(ctx context.Context, s blog.Statement) {
	o.Metrics.statement(s)
	noteStatement(ctx, s)
	if o.Spans != nil {
		o.Spans.statement(ctx, s)
	}
}
