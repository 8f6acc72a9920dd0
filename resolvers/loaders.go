package resolvers

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"broadsheet/blog"
)

// loaders read what a request asks for beside its rows, each key once.
type loaders struct {
	users    *loader[blog.UserID, blog.User]
	posts    *loader[blog.PostID, blog.Post]
	comments *loader[blog.CommentKey, blog.Comment]
	likes    *loader[blog.LikeKey, blog.Like]
	liked    *loader[blog.PostID, *bool] // viewerHasLiked
}

func (r *Resolver) newLoaders() *loaders {
	return &loaders{
		users:    newLoader(each(r.store.UserByID)),
		posts:    newLoader(each(r.readPost)),
		comments: newLoader(each(r.store.CommentByKey)),
		likes:    newLoader(each(r.likeByKey)),
		liked:    newLoader(together(r.viewerLikes)),
	}
}

func loadersOf(ctx context.Context) *loaders { return ctx.Value(loadersKey).(*loaders) }

// loader keeps what a request has read. Whoever knows all the keys of a list starts
// them together, and they leave at once, in one dispatch; the usual loader would
// guess from a pause of 16 ms that there are no more to come.
type loader[K comparable, V any] struct {
	read dataloader.BatchFunc[K, V]

	mu    sync.Mutex
	cache *dataloader.InMemoryCache[K, V]
}

func newLoader[K comparable, V any](read dataloader.BatchFunc[K, V]) *loader[K, V] {
	return &loader[K, V]{read: read, cache: dataloader.NewCache[K, V]()}
}

// start dispatches the keys that were not asked for before, and does not wait.
func (l *loader[K, V]) start(ctx context.Context, keys ...K) {
	if len(keys) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh := l.fresh(ctx, keys)
	if len(fresh) == 0 {
		return
	}
	batch := dataloader.NewBatchedLoader(l.read,
		dataloader.WithCache[K, V](l.cache),
		dataloader.WithBatchCapacity[K, V](len(fresh))) // the last key sends it off
	for _, key := range fresh {
		batch.Load(ctx, key)
	}
}

// fresh returns the keys that are not in the cache, each once.
func (l *loader[K, V]) fresh(ctx context.Context, keys []K) []K {
	var fresh []K
	seen := make(map[K]bool, len(keys))
	for _, key := range keys {
		if _, ok := l.cache.Get(ctx, key); !ok && !seen[key] {
			fresh = append(fresh, key)
		}
		seen[key] = true
	}
	return fresh
}

// load waits for one value. An error of another key is none of its business.
func (l *loader[K, V]) load(ctx context.Context, key K) (V, error) {
	value, ok := l.cache.Get(ctx, key)
	if !ok {
		l.start(ctx, key)
		value, _ = l.cache.Get(ctx, key)
	}
	return value()
}

// each makes a dispatch of concurrent reads, one of each key.
func each[K comparable, V any](read func(context.Context, K) (V, error)) dataloader.BatchFunc[K, V] {
	return func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		results := make([]*dataloader.Result[V], len(keys))
		var all sync.WaitGroup
		for i, key := range keys {
			all.Go(func() {
				value, err := guarded(func() (V, error) { return read(ctx, key) })
				results[i] = &dataloader.Result[V]{Data: value, Error: err}
			})
		}
		all.Wait()
		return results
	}
}

// together makes a dispatch of one read for all keys. Keys that it leaves out have
// the zero value.
func together[K comparable, V any](read func(context.Context, []K) (map[K]V, error)) dataloader.BatchFunc[K, V] {
	return func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		values, err := guarded(func() (map[K]V, error) { return read(ctx, keys) })
		results := make([]*dataloader.Result[V], len(keys))
		for i, key := range keys {
			results[i] = &dataloader.Result[V]{Data: values[key], Error: err}
		}
		return results
	}
}

// guarded turns a panic into an error: a dispatch runs outside of what gqlgen
// recovers.
func guarded[V any](read func() (V, error)) (value V, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(cause)
		}
	}()
	return read()
}

func panicked(cause any) error {
	return &blog.Error{Kind: blog.Internal, Err: fmt.Errorf("panic: %v\n%s", cause, debug.Stack())}
}
