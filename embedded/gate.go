package embedded

import (
	"context"
	"math"
	"sync/atomic"
)

// gate counts the calls inside the store, and lets no more in once it is shut. A call
// never waits at it, so a call that is inside may enter once more: with a lock that
// readers share, the second reading of one goroutine and a writer between the two would
// wait for each other.
type gate struct {
	inside atomic.Int64  // as many calls are inside; less by a lot where the gate is shut
	closed atomic.Bool   // shut was called
	empty  chan struct{} // receives when the last call has left, after the gate was shut
}

const isShut = math.MinInt64

func newGate() *gate { return &gate{empty: make(chan struct{}, 1)} }

// enter reports whether the gate is open. Where it is, leave must follow.
func (g *gate) enter() bool {
	if g.inside.Add(1) > 0 {
		return true
	}
	g.leave()
	return false
}

func (g *gate) leave() {
	if g.inside.Add(-1) == isShut {
		g.signal()
	}
}

// shut lets no more calls in. It is false where the gate was shut before.
func (g *gate) shut() bool {
	if g.closed.Swap(true) {
		return false
	}
	if g.inside.Add(isShut) == isShut {
		g.signal()
	}
	return true
}

// admits reports whether the gate is not shut.
func (g *gate) admits() bool { return g.inside.Load() >= 0 }

func (g *gate) signal() {
	select {
	case g.empty <- struct{}{}:
	default: // it was signalled before
	}
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
