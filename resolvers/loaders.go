package resolvers

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
)

// loaders read what a request asks for beside its rows, each key once.
type loaders struct {
	users     loader[blog.UserID, blog.User]
	posts     loader[blog.PostID, blog.Post]
	comments  loader[blog.CommentKey, blog.Comment]
	groups    loader[blog.GroupID, blog.Group]
	reactions loader[blog.ReactionKey, blog.Reaction]
	reacted   loader[blog.ReactionKey, *bool] // whether the viewer has; without a user
}

// dispatches are how loaders read.
type dispatches struct {
	users     dataloader.BatchFunc[blog.UserID, blog.User]
	posts     dataloader.BatchFunc[blog.PostID, blog.Post]
	comments  dataloader.BatchFunc[blog.CommentKey, blog.Comment]
	groups    dataloader.BatchFunc[blog.GroupID, blog.Group]
	reactions dataloader.BatchFunc[blog.ReactionKey, blog.Reaction]
	reacted   dataloader.BatchFunc[blog.ReactionKey, *bool]
}

func (r *Resolver) newDispatches() dispatches {
	atOnce := math.MaxInt
	if r.config.InProcess {
		atOnce = r.beside
	}
	return dispatches{
		users:     each(atOnce, r.userByID),
		posts:     each(atOnce, r.readPost),
		comments:  each(atOnce, r.store.CommentByKey),
		groups:    each(atOnce, r.store.GroupByID),
		reactions: each(atOnce, r.reactionByKey),
		reacted:   batched(r.viewerReactions),
	}
}

func (r *Resolver) newLoaders() *loaders {
	l := &loaders{}
	l.users.read, l.posts.read, l.comments.read = r.dispatches.users, r.dispatches.posts, r.dispatches.comments
	l.groups.read = r.dispatches.groups
	l.reactions.read, l.reacted.read = r.dispatches.reactions, r.dispatches.reacted
	return l
}

// loader keeps what a request has read. What knows all the keys of a list starts
// them together, and they leave at once, in one dispatch; the usual loader would
// guess from a pause of 16 ms that there are no more to come.
type loader[K comparable, V any] struct {
	read dataloader.BatchFunc[K, V]

	mu     sync.Mutex
	values map[K]dataloader.Thunk[V] // that were asked for; nil: none was
}

// start dispatches the keys that were not asked for before, and does not wait.
func (l *loader[K, V]) start(ctx context.Context, keys ...K) {
	if len(keys) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.values == nil {
		l.values = map[K]dataloader.Thunk[V]{}
	}
	var fresh []K
	for _, key := range keys {
		if _, asked := l.values[key]; !asked {
			l.values[key] = nil // until it is loaded, below
			fresh = append(fresh, key)
		}
	}
	if len(fresh) == 0 {
		return
	}
	batch := dataloader.NewBatchedLoader(l.read,
		dataloader.WithCache(&dataloader.NoCache[K, V]{}),
		dataloader.WithInputCapacity[K, V](len(fresh)), // not a thousand
		dataloader.WithBatchCapacity[K, V](len(fresh)), // the last key sends it off
		dataloader.WithWait[K, V](time.Hour))           // and no clock before it, on however slow a machine
	for _, key := range fresh {
		l.values[key] = batch.Load(ctx, key)
	}
}

// load waits for one value. An error of another key is none of its business; that of the key
// is given to all that wait for it.
func (l *loader[K, V]) load(ctx context.Context, key K) (V, error) {
	l.start(ctx, key)
	l.mu.Lock()
	value := l.values[key]
	l.mu.Unlock()
	found, err := value()
	return found, ownError(err)
}

// ownError returns an error that others hold as well as one that its receiver may change.
// gqlgen writes the place of a *[gqlerror.Error] into the error itself, once for each row that
// returns it, and rows run beside each other. No other error is written into.
func ownError(err error) error {
	shared, ok := errors.AsType[*gqlerror.Error](err)
	if !ok {
		return err
	}
	own := *shared
	return &own
}

// each makes a dispatch of reads, one of each key, so many at a time.
func each[K comparable, V any](atOnce int, read func(context.Context, K) (V, error)) dataloader.BatchFunc[K, V] {
	return func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		results := make([]*dataloader.Result[V], len(keys))
		var next atomic.Int64
		worker := func() {
			for i := next.Add(1) - 1; i < int64(len(keys)); i = next.Add(1) - 1 {
				value, err := guarded(func() (V, error) { return read(ctx, keys[i]) })
				results[i] = &dataloader.Result[V]{Data: value, Error: err}
			}
		}
		var all sync.WaitGroup
		for range min(len(keys), atOnce) - 1 {
			all.Go(worker)
		}
		worker()
		all.Wait()
		return results
	}
}

// batched makes a dispatch of one read for all keys. Keys that it leaves out have
// the zero value.
func batched[K comparable, V any](read func(context.Context, []K) (map[K]V, error)) dataloader.BatchFunc[K, V] {
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
	err = blog.Safely(func() (err error) { value, err = read(); return err })
	return value, err
}

// viewerReactions tells of each parent whether the viewer has reacted to it; of none without an
// account. A key has no user.
func (r *Resolver) viewerReactions(ctx context.Context, keys []blog.ReactionKey) (map[blog.ReactionKey]*bool, error) {
	viewer, ok, err := r.viewerID(ctx)
	if !ok {
		return nil, err
	}
	told := make(map[blog.ReactionKey]*bool, len(keys))
	for _, k := range blog.ReactionKinds {
		to := []blog.UUID{}
		for _, key := range keys {
			if key.Of == k {
				to = append(to, key.To)
			}
		}
		if len(to) == 0 {
			continue
		}
		given, err := k.Some(ctx, r.store, viewer, to)
		if err != nil {
			return nil, err
		}
		for _, id := range to {
			_, reacts := given[id]
			told[blog.ReactionKey{Of: k, To: id}] = &reacts
		}
	}
	return told, nil
}

// reactionByKey reads one reaction.
func (r *Resolver) reactionByKey(ctx context.Context, key blog.ReactionKey) (blog.Reaction, error) {
	given, err := key.Of.Some(ctx, r.store, key.User, []blog.UUID{key.To})
	if err != nil {
		return blog.Reaction{}, err
	}
	found, ok := given[key.To]
	if !ok {
		return found, blog.Errorf(blog.NotFound, "there is no such %s", key.Of.Name)
	}
	return found, nil
}
