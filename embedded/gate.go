package embedded

import (
	"context"
	"sync"
)

// gate counts the calls inside the store, and lets no more in once it is shut. A call
// never waits at it, so one that is inside may enter once more.
type gate struct {
	mu     sync.Mutex
	inside int
	empty  chan struct{} // nil: the gate is open; closed when it is shut and the last call has left
}

// enter reports whether the gate is open. Where it is, leave must follow.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty == nil {
		g.inside++
	}
	return g.empty == nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.empty != nil {
		close(g.empty)
	}
}

// shut lets no more calls in. It is false where the gate was shut before.
func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty != nil {
		return false
	}
	if g.empty = make(chan struct{}); g.inside == 0 {
		close(g.empty)
	}
	return true
}

// admits reports whether the gate is not shut.
func (g *gate) admits() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.empty == nil
}

// whenClosed returns when a channel is closed, at once where there is none.
func whenClosed(ctx context.Context, c <-chan struct{}) error {
	if c == nil {
		return nil
	}
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
