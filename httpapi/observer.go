package httpapi

import (
	"context"

	"broadsheet/blog"
)

// observer is what a store's statements are told to.
type observer struct {
	metrics *metrics
	spans   *spans // nil: no traces
}

var _ blog.Observer = observer{}

// Statement is the method of [blog.Observer].
func (o observer) Statement(ctx context.Context, s blog.Statement) {
	o.metrics.statement(s)
	noteStatement(ctx, s)
	if o.spans != nil {
		o.spans.statement(ctx, s)
	}
}
