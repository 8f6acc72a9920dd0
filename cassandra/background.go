package cassandra

import (
	"context"
	"log/slog"
	"sync"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// background runs what commands leave for after their reply. It is bounded: where
// so much runs already, a command waits for a place before it replies, but not
// beyond its deadline.
type background struct {
	log    *slog.Logger // is told of panics
	places chan struct{}
	closed context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed while nothing runs
}

const maxBackground = 1024

func (b *background) init(log *slog.Logger) {
	b.log = log
	b.places = make(chan struct{}, maxBackground)
	b.closed, b.cancel = context.WithCancel(context.Background())
	b.idle = make(chan struct{})
	close(b.idle)
}

// run starts work with a context that ends when the store closes, as soon as there is a
// place. Where there is none until ctx ends, the work is left to recovery, which finds it
// in the journal.
func (b *background) run(ctx context.Context, work func(ctx context.Context)) {
	select {
	case b.places <- struct{}{}:
	default:
		select {
		case b.places <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
	b.begin(work)
}

// begin starts work that has a place.
func (b *background) begin(work func(ctx context.Context)) {
	b.enter()
	go func() {
		defer b.leave()
		defer func() { <-b.places }()
		_ = blog.SafelyTold(b.log, func() error { work(b.closed); return nil }) // recovery finds what is left
	}()
}

// try is run, but it reports false where there is no place at once.
func (b *background) try(work func(ctx context.Context)) bool {
	select {
	case b.places <- struct{}{}:
	default:
		return false
	}
	b.begin(work)
	return true
}

func (b *background) enter() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running++; b.running == 1 {
		b.idle = make(chan struct{})
	}
}

func (b *background) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running--; b.running == 0 {
		close(b.idle)
	}
}

// wait returns when nothing runs, or with ctx's error.
func (b *background) wait(ctx context.Context) error {
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

// Settle waits until nothing is left of the commands that this process replied to.
func (s *Store) Settle(ctx context.Context) error {
	return cql.Convert(ctx, s.background.wait(ctx))
}
