package job

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// Background runs what commands leave for after their reply. It is bounded: where so much runs already, a command
// waits for a slot before it replies, but not beyond its deadline.
type Background struct {
	log    *slog.Logger // is told of panics
	slots  chan struct{}
	closed context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed while nothing runs
}

// MaxBackground is how much runs in the background of a process at once.
const MaxBackground = 1024

// NewBackground returns a background with so many slots, in which nothing runs yet.
func NewBackground(slots int, log *slog.Logger) *Background {
	b := &Background{log: log, slots: make(chan struct{}, slots), idle: make(chan struct{})}
	b.closed, b.cancel = context.WithCancel(context.Background())
	close(b.idle)
	return b
}

// Run starts work with a context that ends with [Background.Stop], as soon as there is a slot. Where there is none
// until ctx ends, the work is left to recovery.
func (b *Background) Run(ctx context.Context, work func(ctx context.Context)) {
	if b.Try(work) {
		return
	}
	select {
	case b.slots <- struct{}{}:
		b.begin(work)
	case <-ctx.Done():
	}
}

// Try is Run, but it reports false where there is no slot at once.
func (b *Background) Try(work func(ctx context.Context)) bool {
	select {
	case b.slots <- struct{}{}:
		b.begin(work)
		return true
	default:
		return false
	}
}

func (b *Background) begin(work func(ctx context.Context)) {
	b.count(1)
	go func() {
		defer b.count(-1)
		defer func() { <-b.slots }()
		_ = blog.SafelyLogged(b.log, func() error { work(b.closed); return nil }) // recovery finds what is left
	}()
}

// count notes that work begins, or ends.
func (b *Background) count(by int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == 0 {
		b.idle = make(chan struct{})
	}
	if b.running += by; b.running == 0 {
		close(b.idle)
	}
}

// Wait returns when nothing runs, or with ctx's error.
func (b *Background) Wait(ctx context.Context) error {
	b.mu.Lock()
	idle := b.idle
	b.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop has the contexts of all that runs end. It does not wait.
func (b *Background) Stop() { b.cancel() }

// Briefly insists on a step for as long as it is worth a slot in the background: what takes longer is recovery's.
func Briefly(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return cql.Insist(ctx, step)
}
