package embedded

import (
	"context"
	"sync"
)

// gate counts the calls inside the store, and lets no more in once it is shut. A call
// never waits at it, so one that is inside may enter once more.
type gate struct {
	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup // added to under mu, while the gate is open
}

// enter reports whether the gate is open. Where it is, leave must follow.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.calls.Add(1)
	}
	return !g.closed
}

func (g *gate) leave() { g.calls.Done() }

// shut lets no more calls in. It is false where the gate was shut before.
func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.closed
	g.closed = true
	return !was
}

// admits reports whether the gate is not shut.
func (g *gate) admits() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.closed
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
