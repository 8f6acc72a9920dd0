// Package through makes the queries of a store through a function, which may wait, count, or do without them.
package through

import (
	"context"

	"broadsheet/blog"
)

// Do makes a query, whose name it is given, or doesn't. Where it doesn't, and returns no error, the answer is zero.
type Do func(ctx context.Context, name string, query func(context.Context) error) error

// Queries returns a store that makes each query through a function. Its other methods are the store's own.
func Queries(store blog.Store, do Do) blog.Store {
	return &wrapped{store, do}
}

type wrapped struct {
	blog.Store
	do Do
}

func made[T any](ctx context.Context, w *wrapped, name string, query func(context.Context) (T, error)) (answer T, err error) {
	err = w.do(ctx, name, func(ctx context.Context) (err error) {
		answer, err = query(ctx)
		return err
	})
	return answer, err
}
