package httpapi

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"broadsheet/internal/httpapi/limit"
)

// gate lets so many requests be executed at once. Others wait for their turn, but neither
// many nor for long: under overload it is better to answer some in time, and the rest at
// once that there is no room, than all too late.
type gate struct {
	slots    *semaphore.Weighted // nil: no limit
	waiting  atomic.Int64
	queued   int64
	patience time.Duration
}

func newGate(limits *limit.Values) *gate {
	g := &gate{queued: int64(limits[limit.Queue]), patience: limits.Time(limit.QueueTime)}
	if concurrent := int64(limits[limit.Concurrency]); concurrent > 0 {
		g.slots = semaphore.NewWeighted(concurrent)
	}
	return g
}

// full reports whether enter would find neither a place nor room to wait.
func (g *gate) full() bool {
	if g.slots == nil || g.waiting.Load() < g.queued {
		return false
	}
	if !g.slots.TryAcquire(1) {
		return true
	}
	g.slots.Release(1)
	return false
}

// enter takes a place, which leave gives back. ok is false where there is none.
func (g *gate) enter(ctx context.Context) (leave func(), ok bool) {
	if g.slots == nil {
		return func() {}, true
	}
	leave = func() { g.slots.Release(1) }
	if g.slots.TryAcquire(1) {
		return leave, true
	}
	if g.waiting.Add(1) > g.queued {
		g.waiting.Add(-1)
		return nil, false
	}
	defer g.waiting.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, g.patience)
	defer cancel()
	return leave, g.slots.Acquire(ctx, 1) == nil
}
