package resolvers

import (
	"context"

	"broadsheet/blog"
)

// Viewer reads the account of the request's own subject.
func (q query) Viewer(ctx context.Context) (*blog.User, error) { return q.viewer(ctx) }
