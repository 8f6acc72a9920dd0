package cassandra

import (
	"context"
	"sync"
	"time"
)

// pace spreads work over time: whoever waits for its turn keeps within a rate that all
// of them share.
type pace struct {
	every time.Duration // for one unit of work

	mu   sync.Mutex
	next time.Time // when what was let in so far is paid for
}

// wait returns when some units of work may begin, or with ctx's error.
func (p *pace) wait(ctx context.Context, units int) error {
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	turn := p.next
	p.next = p.next.Add(time.Duration(units) * p.every)
	p.mu.Unlock()
	err := ctx.Err()
	if err == nil && turn.After(now) {
		err = wait(ctx, turn.Sub(now))
	}
	if err != nil { // nothing will be written: others need not wait for it
		p.mu.Lock()
		p.next = p.next.Add(-time.Duration(units) * p.every)
		p.mu.Unlock()
	}
	return err
}
