// Package pace spreads work over time.
package pace

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Pace keeps parties within a rate that those at work have equal parts of, however much each
// wants to do:
//
//	ann  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓   alone: all of the rate, then half of it
//	bob                ▓▓▓▓▓▓▓▓▓▓▓▓▓▓   begins at once
type Pace[K comparable] struct {
	Every time.Duration // for one unit of work; 0: there is no limit
	Burst time.Duration // how far a party's work may run ahead, where a timer for each unit would cost too much

	mu    sync.Mutex
	until map[K]time.Time // when the work that a party has begun so far is paid for; of those that owe any
}

// Wait returns when some units of a party's work may begin, or with ctx's error.
func (p *Pace[K]) Wait(ctx context.Context, party K, units int) error {
	err := ctx.Err()
	if p.Every == 0 || err != nil {
		return err
	}
	pause, took := p.reserve(party, units)
	if pause > p.Burst {
		err = Wait(ctx, pause)
	}
	if err != nil { // nothing will be written: what else the party does need not wait for it
		p.mu.Lock()
		p.until[party] = p.until[party].Add(-took)
		p.mu.Unlock()
	}
	return err
}

// reserve takes the party's next turn, after a pause, and returns how long that is as the parties
// are now: as many times longer as there are of them.
func (p *Pace[K]) reserve(party K, units int) (pause, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(p.until, func(_ K, until time.Time) bool { return !until.After(now) })
	if p.until == nil {
		p.until = map[K]time.Time{}
	}
	turn, owes := p.until[party]
	if !owes {
		turn = now
	}
	p.until[party] = turn
	took = time.Duration(units) * p.Every * time.Duration(len(p.until))
	p.until[party] = turn.Add(took)
	return turn.Sub(now), took
}

// Of returns what one unit takes of so many in a second; 0 where there is no limit to them.
func Of(rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Second / time.Duration(rate)
}

// Elapsed returns how long ago something was, by the monotonic clock, and by the other one too,
// which counts while the machine is suspended.
func Elapsed(since time.Time) time.Duration {
	return max(time.Since(since), time.Now().Round(0).Sub(since.Round(0)))
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
