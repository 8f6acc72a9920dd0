// Package pace spreads work over time.
package pace

import (
	"context"
	"sync"
	"time"
)

// Pace keeps those that wait for their turn within a rate that all of them share.
type Pace struct {
	Every time.Duration // for one unit of work; 0: there is no limit
	Burst time.Duration // how far work may run ahead, where a timer for each unit would cost too much

	mu   sync.Mutex
	next time.Time // when the work that was begun so far is paid for
}

// Of returns what one unit takes of so many in a second; 0 where there is no limit to them.
func Of(rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Second / time.Duration(rate)
}

// Wait returns when some units of work may begin, or with ctx's error.
func (p *Pace) Wait(ctx context.Context, units int) error {
	if p.Every == 0 {
		return ctx.Err()
	}
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	turn := p.next
	p.next = p.next.Add(time.Duration(units) * p.Every)
	p.mu.Unlock()
	err := ctx.Err()
	if err == nil && turn.Sub(now) > p.Burst {
		err = Wait(ctx, turn.Sub(now))
	}
	if err != nil { // nothing will be written: others need not wait for it
		p.mu.Lock()
		p.next = p.next.Add(-time.Duration(units) * p.Every)
		p.mu.Unlock()
	}
	return err
}

// Wait returns after a pause, or with ctx's error.
func Wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
