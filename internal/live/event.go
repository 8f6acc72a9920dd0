package live

import (
	"context"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/changes"
)

// event is a change in the lists of the hub. All streams that meet it share it, with what is
// read for it.
type event struct {
	blog.Change
	at  changes.Cursor // after it
	seq uint64         // in the window; 0: it is in none, and one stream's alone

	next *event // in its topic; nil: there is none yet, or the event was cut off
	twin *event // in another topic; nil: there is none
	warm bool   // something may be held of what was read for it
	cut  bool   // it has left the window, and what followed it cannot be found from it

	text    lazy[string] // of the cursor after it, as most streams have it
	post    shared[*blog.Post]
	comment shared[*blog.Comment]
	made    Once
}

// lazy is a value that is made when it is first wanted.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(make func() T) T {
	l.once.Do(func() { l.value = make() })
	return l.value
}

const (
	// freshFor is how long what was read for an event is delivered, unless it changes before.
	freshFor = 5 * time.Second

	// readTimeout bounds a read that several streams wait for.
	readTimeout = 10 * time.Second
)

// shared is a value that is read once for all streams that want it at about the same time.
type shared[T any] struct {
	mu   sync.Mutex
	last *reading[T] // nil: there is none
}

type reading[T any] struct {
	done  chan struct{} // closed at its end, then value and err are set
	value T
	err   error
	until time.Time // when value is stale, under the lock; zero: it is under way
}

func (r *reading[T]) stale() bool { return !r.until.IsZero() && !time.Now().Before(r.until) }

// get returns the value, read if it is not there. An error goes to all that waited for the
// same read, which the end of none of them ends.
func (s *shared[T]) get(ctx context.Context, read func(context.Context) (T, error)) (value T, err error) {
	s.mu.Lock()
	r := s.last
	if r != nil && !r.stale() {
		s.mu.Unlock()
		select {
		case <-r.done:
			return r.value, r.err
		case <-ctx.Done():
			return value, ctx.Err()
		}
	}
	r = &reading[T]{done: make(chan struct{})}
	s.last = r
	s.mu.Unlock()
	r.err = blog.Safely(func() (err error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		r.value, err = read(ctx)
		return err
	})
	s.end(r)
	return r.value, r.err
}

// end keeps what was read, unless it has failed, or was dropped meanwhile.
func (s *shared[T]) end(r *reading[T]) {
	defer close(r.done)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.until = time.Now().Add(freshFor); r.err != nil && s.last == r {
		s.last = nil
	}
}

// drop forgets the value, which is read anew where it is wanted again.
func (s *shared[T]) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = nil
}

// cool forgets the value if it is stale, and reports whether nothing is held.
func (s *shared[T]) cool() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.last.stale() {
		s.last = nil
	}
	return s.last == nil
}
