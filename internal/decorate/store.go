// Package decorate makes the queries of a store otherwise: shared by callers that ask the same at once, or through a function,
// which may wait, count, or do without them. Its other methods are the store's own.
package decorate

import (
	"context"
	"log/slog"
	"reflect"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"
)

// Do makes a query, whose name it is given, or doesn't. Where it doesn't, and returns no error, the answer is zero.
type Do func(ctx context.Context, name string, query func(context.Context) error) error

// Through returns a store that makes each query through a function.
func Through(store blog.Store, do Do) blog.Store { return &wrapped{Store: store, do: do} }

// Share returns a store whose queries are shared by callers that ask the same at once. An answer that is shared is a
// value that none of them may change. shared returns what counts the callers that share another's read, by the name of the query; log
// has panics.
func Share(store blog.Store, log *slog.Logger, shared func(query string) interface{ Inc() }) blog.Store {
	w := &wrapped{Store: store}
	for query, reads := range reflect.ValueOf(&w.reads).Elem().Fields() {
		reads.FieldByName("Log").Set(reflect.ValueOf(log))
		if counts := shared(query.Name); counts != nil {
			reads.FieldByName("Shared").Set(reflect.ValueOf(counts))
		}
	}
	return w
}

type wrapped struct {
	blog.Store
	do    Do    // nil: the queries are shared
	reads reads // that are shared
}

// made makes a query, shared by those of its key where there are reads.
func made[K comparable, V any](
	ctx context.Context, w *wrapped, name string, reads *coalesce.Next[K, V], key K, query func(context.Context) (V, error),
) (V, error) {
	switch {
	case w.do != nil:
		return through(ctx, w.do, name, query)
	case reads == nil:
		return query(ctx)
	}
	return reads.Do(ctx, key, query)
}

// row is made of a query that asks for its key.
func row[K comparable, V any](
	ctx context.Context, w *wrapped, name string, reads *coalesce.Next[K, V], key K, query func(blog.Store, context.Context, K) (V, error),
) (V, error) {
	return made(ctx, w, name, reads, key, func(ctx context.Context) (V, error) { return query(w.Store, ctx, key) })
}

// list is made of a query that asks for a page of what a parent has.
func list[P, K comparable, V any](
	ctx context.Context, w *wrapped, name string, reads *coalesce.Next[pageOf[P, K], V], parent P, page blog.PageRequest[K],
	query func(blog.Store, context.Context, P, blog.PageRequest[K]) (V, error),
) (V, error) {
	return made(ctx, w, name, reads, key(parent, page), func(ctx context.Context) (V, error) { return query(w.Store, ctx, parent, page) })
}

func through[V any](ctx context.Context, do Do, name string, query func(context.Context) (V, error)) (answer V, err error) {
	err = do(ctx, name, func(ctx context.Context) (err error) {
		answer, err = query(ctx)
		return err
	})
	return answer, err
}

// pageOf is a page of what a parent has, its cursors by value: it can be compared.
type pageOf[P, K comparable] struct {
	parent              P
	page                blog.PageRequest[K]
	after, before       K
	hasAfter, hasBefore bool
}

func key[P, K comparable](parent P, request blog.PageRequest[K]) pageOf[P, K] {
	k := pageOf[P, K]{parent: parent, page: request, hasAfter: request.After != nil, hasBefore: request.Before != nil}
	k.page.After, k.page.Before = nil, nil
	if k.hasAfter {
		k.after = *request.After
	}
	if k.hasBefore {
		k.before = *request.Before
	}
	return k
}

// comments is what a [blog.CommentsQuery] asks for beside its page, and the author.
type comments struct {
	post   blog.PostID
	author blog.UserID // zero: all
	made   bool
}

func commentsKey(author blog.UserID, q blog.CommentsQuery) pageOf[comments, blog.CommentID] {
	return key(comments{q.Post, author, q.Made}, q.Page)
}

// thread is what a [blog.ThreadQuery] asks for beside its page.
type thread struct {
	post  blog.PostID
	under blog.Path
}
