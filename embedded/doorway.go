package embedded

import (
	"math"
	"sync/atomic"
)

// doorway counts who is inside, and lets nobody in any more once it is shut. Nobody waits
// to come in, so who is inside may enter once more: with a lock that readers share, a
// second reading of one goroutine and a writer between the two wait for each other.
type doorway struct {
	inside atomic.Int64  // as many are inside; less by a lot where it is shut
	empty  chan struct{} // told when nobody is left inside, after it was shut
}

const isShut = math.MinInt64

func newDoorway() *doorway { return &doorway{empty: make(chan struct{}, 1)} }

// enter reports whether it is open. Where it is, leave must follow.
func (d *doorway) enter() bool {
	if d.inside.Add(1) > 0 {
		return true
	}
	d.leave()
	return false
}

func (d *doorway) leave() {
	if d.inside.Add(-1) == isShut {
		d.tell()
	}
}

// shut lets nobody in any more. empty is told when the last one has left. It is called
// once.
func (d *doorway) shut() {
	if d.inside.Add(isShut) == isShut {
		d.tell()
	}
}

// open reports whether it is not shut.
func (d *doorway) open() bool { return d.inside.Load() >= 0 }

func (d *doorway) tell() {
	select {
	case d.empty <- struct{}{}:
	default: // it was told
	}
}
