package storetest

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/decorate"
)

// Before returns a store that calls a function before each query, with the query's name. It is
// for tests that hold queries up, so that others come meanwhile.
func Before(store blog.Store, query func(ctx context.Context, name string)) blog.Store {
	return decorate.Through(store, func(ctx context.Context, name string, make func(context.Context) error) error {
		query(ctx, name)
		return make(ctx)
	})
}
