package cql

import (
	"context"
	"sync"
	"time"
)

// Pace spreads work over time: those that wait for their turn keep within a rate that all
// of them share.
type Pace struct {
	Every time.Duration // for one unit of work

	mu   sync.Mutex
	next time.Time // when the work that was begun so far is paid for
}

// Wait returns when some units of work may begin, or with ctx's error.
func (p *Pace) Wait(ctx context.Context, units int) error {
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	turn := p.next
	p.next = p.next.Add(time.Duration(units) * p.Every)
	p.mu.Unlock()
	err := ctx.Err()
	if err == nil && turn.After(now) {
		err = Wait(ctx, turn.Sub(now))
	}
	if err != nil { // nothing will be written: others need not wait for it
		p.mu.Lock()
		p.next = p.next.Add(-time.Duration(units) * p.Every)
		p.mu.Unlock()
	}
	return err
}
