// Package slots bounds what is done at the same time for each of those that others share a thing with.
package slots

import "sync"

// Each is a semaphore for each of any number of keys. It is safe for concurrent use.
type Each[K comparable] struct {
	size int

	mu   sync.Mutex
	used map[K]*semaphore // those that are held, or waited for
}

// semaphore is that of one key.
type semaphore struct {
	slots chan struct{}
	users int // who hold a slot and who wait for one
}

// NewEach returns semaphores of so many slots.
func NewEach[K comparable](size int) *Each[K] {
	return &Each[K]{size: size, used: map[K]*semaphore{}}
}

// Enter takes a slot of a key, in the order in which callers come, and leave gives it back. Where ended is
// closed before there is one it takes none, and leave does nothing.
func (e *Each[K]) Enter(key K, ended <-chan struct{}) (leave func()) {
	s := e.use(key)
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots; e.forget(key, s) }
	case <-ended:
		e.forget(key, s)
		return func() {}
	}
}

// Users returns how many hold a slot, of whatever key, or wait for one. A key that has none takes no memory.
func (e *Each[K]) Users() (all int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.used {
		all += s.users
	}
	return all
}

func (e *Each[K]) use(key K) *semaphore {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.used[key]
	if s == nil {
		s = &semaphore{slots: make(chan struct{}, e.size)}
		e.used[key] = s
	}
	s.users++
	return s
}

func (e *Each[K]) forget(key K, s *semaphore) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(e.used, key)
	}
}
