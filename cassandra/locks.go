package cassandra

import (
	"context"
	"sync"
)

// keyedLock is a mutual exclusion for each key: commits of this process on one
// partition stand in line here, where waiting costs nothing, and not before
// Paxos, where each refused attempt costs four round trips.
type keyedLock[K comparable] struct {
	mu    sync.Mutex
	lines map[K]*line
}

type line struct {
	turn    chan struct{} // holds a token while nobody has the lock
	waiting int
}

// lock waits for its turn; the caller calls unlock once. An error is ctx's.
func (k *keyedLock[K]) lock(ctx context.Context, key K) (unlock func(), err error) {
	k.mu.Lock()
	if k.lines == nil {
		k.lines = map[K]*line{}
	}
	l := k.lines[key]
	if l == nil {
		l = &line{turn: make(chan struct{}, 1)}
		l.turn <- struct{}{}
		k.lines[key] = l
	}
	l.waiting++
	k.mu.Unlock()
	select {
	case <-l.turn:
		return func() { l.turn <- struct{}{}; k.leave(key, l) }, nil
	case <-ctx.Done():
		k.leave(key, l)
		return nil, ctx.Err()
	}
}

func (k *keyedLock[K]) leave(key K, l *line) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		delete(k.lines, key)
	}
}
