package resolvers

import (
	"context"
	"errors"
	"sync"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
)

// loaders read what a request asks for beside its rows, each key once.
type loaders struct {
	users     loader[blog.UserID, blog.User]
	posts     loader[blog.PostID, blog.Post]
	comments  loader[blog.CommentKey, blog.Comment]
	reactions loader[blog.ReactionKey, blog.Reaction]
	reacted   loader[blog.ReactionKey, *bool] // whether the viewer has; without a user
}

// dispatches are how loaders read.
type dispatches struct {
	users     dispatch[blog.UserID, blog.User]
	posts     dispatch[blog.PostID, blog.Post]
	comments  dispatch[blog.CommentKey, blog.Comment]
	reactions dispatch[blog.ReactionKey, blog.Reaction]
	reacted   dispatch[blog.ReactionKey, *bool]
}

func (r *Resolver) newDispatches() dispatches {
	return dispatches{
		users:     each(r.store.UserByID),
		posts:     each(r.readPost),
		comments:  each(r.store.CommentByKey),
		reactions: each(r.reactionByKey),
		reacted:   batched(r.viewerReactions),
	}
}

func (r *Resolver) newLoaders() *loaders {
	l := &loaders{}
	l.users.dispatch, l.posts.dispatch, l.comments.dispatch = r.dispatches.users, r.dispatches.posts, r.dispatches.comments
	l.reactions.dispatch, l.reacted.dispatch = r.dispatches.reactions, r.dispatches.reacted
	return l
}

// loader keeps what a request has read. What knows all the keys of a list starts them together, and they leave at
// once, in one dispatch.
type loader[K comparable, V any] struct {
	dispatch dispatch[K, V]

	mu    sync.Mutex
	asked map[K]*promise[V]
}

// dispatch begins to read keys, and keeps the promise of each.
type dispatch[K comparable, V any] func(ctx context.Context, keys []K, promises []*promise[V])

// promise is a value that is being read.
type promise[V any] struct {
	kept  chan struct{} // closed when it is, then what follows is set
	value V
	err   error
}

func (p *promise[V]) keep(value V, err error) {
	p.value, p.err = value, err
	close(p.kept)
}

// start dispatches the keys that were not asked for before, and does not wait. It returns the promise of the last one.
func (l *loader[K, V]) start(ctx context.Context, keys ...K) (last *promise[V]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fresh []K
	var promises []*promise[V]
	for _, key := range keys {
		if last = l.asked[key]; last != nil {
			continue
		}
		if fresh == nil {
			fresh, promises = make([]K, 0, len(keys)), make([]*promise[V], 0, len(keys))
		}
		if l.asked == nil {
			l.asked = make(map[K]*promise[V], len(keys))
		}
		last = &promise[V]{kept: make(chan struct{})}
		l.asked[key] = last
		fresh, promises = append(fresh, key), append(promises, last)
	}
	if len(fresh) > 0 {
		l.dispatch(ctx, fresh, promises)
	}
	return last
}

// load waits for one value. An error of another key is none of its business; that of the key
// is given to all that wait for it.
func (l *loader[K, V]) load(ctx context.Context, key K) (V, error) {
	asked := l.start(ctx, key)
	<-asked.kept
	return asked.value, ownError(asked.err)
}

// ownError returns an error that others hold as well as one that its receiver may change.
// gqlgen writes the place of a *[gqlerror.Error] into the error itself, once for each row that
// returns it, and rows run beside each other. No other error is written into.
func ownError(err error) error {
	var shared *gqlerror.Error
	if !errors.As(err, &shared) {
		return err
	}
	own := *shared
	return &own
}

// each makes a dispatch of concurrent reads, one of each key.
func each[K comparable, V any](read func(context.Context, K) (V, error)) dispatch[K, V] {
	return func(ctx context.Context, keys []K, promises []*promise[V]) {
		for i, key := range keys {
			go func() { promises[i].keep(guarded(func() (V, error) { return read(ctx, key) })) }()
		}
	}
}

// batched makes a dispatch of one read for all keys. Keys that it leaves out have
// the zero value.
func batched[K comparable, V any](read func(context.Context, []K) (map[K]V, error)) dispatch[K, V] {
	return func(ctx context.Context, keys []K, promises []*promise[V]) {
		go func() {
			values, err := guarded(func() (map[K]V, error) { return read(ctx, keys) })
			for i, key := range keys {
				promises[i].keep(values[key], err)
			}
		}()
	}
}

// guarded turns a panic into an error: a dispatch runs outside of what gqlgen
// recovers.
func guarded[V any](read func() (V, error)) (value V, err error) {
	err = blog.Safely(func() (err error) { value, err = read(); return err })
	return value, err
}

// viewerReactions tells of each post whether the viewer has reacted to it; of none without an
// account. A key has no user.
func (r *Resolver) viewerReactions(ctx context.Context, keys []blog.ReactionKey) (map[blog.ReactionKey]*bool, error) {
	viewer, ok, err := r.viewerID(ctx)
	if !ok {
		return nil, err
	}
	told := make(map[blog.ReactionKey]*bool, len(keys))
	for _, k := range blog.ReactionKinds {
		posts := []blog.PostID{}
		for _, key := range keys {
			if key.Of == k {
				posts = append(posts, key.Post)
			}
		}
		if len(posts) == 0 {
			continue
		}
		given, err := k.Some(ctx, r.store, viewer, posts)
		if err != nil {
			return nil, err
		}
		for _, id := range posts {
			_, reacts := given[id]
			told[blog.ReactionKey{Of: k, Post: id}] = &reacts
		}
	}
	return told, nil
}

// reactionByKey reads one reaction.
func (r *Resolver) reactionByKey(ctx context.Context, key blog.ReactionKey) (blog.Reaction, error) {
	given, err := key.Of.Some(ctx, r.store, key.User, []blog.PostID{key.Post})
	if err != nil {
		return blog.Reaction{}, err
	}
	found, ok := given[key.Post]
	if !ok {
		return found, blog.Errorf(blog.NotFound, "there is no such %s", key.Of.Name)
	}
	return found, nil
}
