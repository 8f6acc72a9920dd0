package resolvers

import (
	"context"

	"broadsheet/blog"
)

// Viewer reads the account of the request's own subject.
func (q query) Viewer(ctx context.Context) (*blog.User, error) {
	account, err := q.viewer(ctx)
	if account == nil {
		return nil, err
	}
	return blog.Found(shown(ctx, *account, nil))
}
