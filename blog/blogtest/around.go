package blogtest

import (
	"context"

	"broadsheet/blog"
)

// Around returns a store that makes each query through a function, which is given the query's
// name. Where it doesn't make the query, and returns no error, the answer is zero.
func Around(store blog.Store, do func(ctx context.Context, name string, query func(context.Context) error) error) blog.Store {
	return &wrapped{store, do}
}

// Before returns a store that calls a function before each query, with the query's name. It is
// for tests that hold queries up, so that others come meanwhile.
func Before(store blog.Store, query func(ctx context.Context, name string)) blog.Store {
	return Around(store, func(ctx context.Context, name string, make func(context.Context) error) error {
		query(ctx, name)
		return make(ctx)
	})
}

type wrapped struct {
	blog.Store
	do func(ctx context.Context, name string, query func(context.Context) error) error
}

func through[T any](ctx context.Context, w *wrapped, name string, query func(context.Context) (T, error)) (answer T, err error) {
	err = w.do(ctx, name, func(ctx context.Context) (err error) {
		answer, err = query(ctx)
		return err
	})
	return answer, err
}
