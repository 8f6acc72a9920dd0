// Package pace spreads work over time.
package pace

import (
	"context"
	"maps"
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

// Shared keeps parties within a rate that those at work have equal parts of, however much each
// wants to do:
//
//	ann  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓   alone: all of the rate, then half of it
//	bob                ▓▓▓▓▓▓▓▓▓▓▓▓▓▓   begins at once
type Shared[K comparable] struct {
	Every time.Duration // for one unit of work; 0: there is no limit

	mu    sync.Mutex
	until map[K]time.Time // when the work that a party has begun so far is paid for; of those that owe any
}

// Wait returns when some units of a party's work may begin, or with ctx's error.
func (s *Shared[K]) Wait(ctx context.Context, party K, units int) error {
	err := ctx.Err()
	if s.Every == 0 || err != nil {
		return err
	}
	pause, took := s.reserve(party, units)
	if pause > 0 {
		err = Wait(ctx, pause)
	}
	if err != nil { // nothing will be written: what else the party does need not wait for it
		s.mu.Lock()
		s.until[party] = s.until[party].Add(-took)
		s.mu.Unlock()
	}
	return err
}

// reserve takes the party's next turn, after a pause, and returns how long that is as the parties
// are now: as many times longer as there are of them.
func (s *Shared[K]) reserve(party K, units int) (pause, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(s.until, func(_ K, until time.Time) bool { return !until.After(now) })
	if s.until == nil {
		s.until = map[K]time.Time{}
	}
	turn, owes := s.until[party]
	if !owes {
		turn = now
	}
	s.until[party] = turn
	took = time.Duration(units) * s.Every * time.Duration(len(s.until))
	s.until[party] = turn.Add(took)
	return turn.Sub(now), took
}
