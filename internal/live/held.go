package live

import (
	"context"
	"maps"
	"sync"
	"time"

	"broadsheet/blog"
)

// held is what was read for events, and made of them, for all streams that meet them.
type held struct {
	posts    shared[blog.PostID, *blog.Post]
	comments shared[blog.CommentKey, *blog.Comment]

	mu   sync.Mutex
	made map[blog.PostID]*shared[any, any] // of the events of a post
}

// maxMade bounds what is kept of the events of one post, and of one state.
const maxMade = 64

// madeOf returns what is made of the events of a post.
func (h *held) madeOf(post blog.PostID) *shared[any, any] {
	h.mu.Lock()
	defer h.mu.Unlock()
	made := h.made[post]
	if made == nil {
		if h.made == nil {
			h.made = map[blog.PostID]*shared[any, any]{}
		}
		made = &shared[any, any]{most: maxMade}
		h.made[post] = made
	}
	return made
}

// change forgets what a change makes stale.
func (h *held) change(c blog.Change) {
	h.posts.drop(c.Post)
	h.comments.drop(blog.CommentKey{Post: c.Post, Comment: c.Comment})
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.made, c.Post)
}

// cool gives back the memory of what is stale, and returns how much is held.
func (h *held) cool() int {
	left := h.posts.cool() + h.comments.cool()
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.made, func(_ blog.PostID, made *shared[any, any]) bool { return made.cool() == 0 })
	return left + len(h.made)
}

const (
	// freshFor is how long what was read for an event is delivered, unless it changes before.
	freshFor = 5 * time.Second

	// readTimeout bounds a read that several streams wait for.
	readTimeout = 10 * time.Second
)

// shared are values that are read once each for all streams that want one at about the same time.
type shared[K comparable, V any] struct {
	most int // more are not kept; 0: all are

	mu sync.Mutex
	of map[K]*reading[V]
}

type reading[V any] struct {
	done  chan struct{} // closed at its end, then value and err are set
	value V
	err   error
	until time.Time // when value is stale, under the lock; zero: it is under way
}

func (r *reading[V]) stale() bool { return !r.until.IsZero() && !time.Now().Before(r.until) }

// get returns a value, read if it is not there. An error goes to all that waited for the same
// read, which the end of none of them ends, and is not kept.
func (s *shared[K, V]) get(ctx context.Context, key K, read func(context.Context) (V, error)) (value V, err error) {
	s.mu.Lock()
	r := s.of[key]
	switch {
	case r != nil && !r.stale():
		s.mu.Unlock()
		select {
		case <-r.done:
			return r.value, r.err
		case <-ctx.Done():
			return value, ctx.Err()
		}
	case r == nil && s.most > 0 && len(s.of) >= s.most:
		s.mu.Unlock()
		return read(ctx)
	case s.of == nil:
		s.of = map[K]*reading[V]{}
	}
	r = &reading[V]{done: make(chan struct{})}
	s.of[key] = r
	s.mu.Unlock()
	r.err = blog.Safely(func() (err error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		r.value, err = read(ctx)
		return err
	})
	s.end(key, r)
	return r.value, r.err
}

// end keeps what was read, unless it has failed, or was dropped meanwhile.
func (s *shared[K, V]) end(key K, r *reading[V]) {
	defer close(r.done)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.until = time.Now().Add(freshFor); r.err != nil && s.of[key] == r {
		delete(s.of, key)
	}
}

// drop forgets a value, which is read anew where it is wanted again.
func (s *shared[K, V]) drop(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, key)
}

// cool forgets what is stale, and returns how many values are left.
func (s *shared[K, V]) cool() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.of, func(_ K, r *reading[V]) bool { return r.stale() })
	return len(s.of)
}
