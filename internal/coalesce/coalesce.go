// Package coalesce answers at once what several callers ask for at about the same time: the same page, rows of one
// table, writes that fit into one batch.
//
// A single flight, as it is known, lets a caller share what is under way, which may have begun before what the caller
// was told is written. Here a caller waits for the next batch and shares that one:
//
//	A ──▶ ├─ batch ─┤
//	B ────────▶     ├─ batch ─┤ for B, C and D
//	C ──────────▶   │
//	D ────────────▶ │
//
// A batch has a slot while it is under way, and what comes while no slot is free waits. So a page that is asked for ten
// thousand times a second costs as many reads as follow one another in a second, and a caller that finds a slot waits
// for nothing: its call is made at once, in its own goroutine and under its own context. A caller that is in no hurry
// lets its call go with the next one of another, which costs less than a call of its own: [Next.Later].
//
// What is shared is an answer, or an error that is one, as that there is no such post. A batch that failed has answered
// none of its callers. Its error goes to the one caller whose call it was, where there is one; the others, as far as
// they have time, try again. So no caller fails for the deadline, the cancellation or the bad luck of another.
package coalesce

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
)

// Next makes calls of one kind, each of which is named by a key. Callers that wait with equal keys share one call, and
// its value, which none of them may change. The zero value shares calls with equal keys, and is ready; a Next is not
// changed after its first use, is not copied, and is safe for concurrent use.
type Next[K comparable, V any] struct {
	// Many makes the calls of several keys at once. A key that its answer lacks has the zero value. nil: different
	// keys are never in one batch, and each has one slot of its own.
	Many func(ctx context.Context, keys []K) (map[K]V, error)

	// SizeOf is a key's part of a batch's size; nil: each counts as one.
	SizeOf func(K) Size

	Batching // with Many only, but for Stall

	// Again reports whether callers of a batch that failed try again: with Many each by itself, else together once
	// more and then each by itself. nil: after faults, as [blog.IsFault] has them.
	Again func(err error) bool

	Shared interface{ Inc() } // counts callers that share another's call; nil: nothing does
	Log    *slog.Logger       // is told of panics in batches; nil: the default

	mu    sync.Mutex
	runs  uint64             // counts what had a slot
	all   queue[K, V]        // with Many
	byKey map[K]*queue[K, V] // else: of each key under way
	idle  sync.Pool          // of queues that were byKey
}

// Batching says how batches are made.
type Batching struct {
	Slots int           // batches at once; 0: one
	Stall time.Duration // after which what is under way gives up its slot; 0: 50 ms
	Most  Size          // of a batch of several keys

	// Limit is how long a batch may take, whatever becomes of its callers. 0: it has the latest of their deadlines,
	// none where one of them has none, and ends with the last of them.
	Limit time.Duration
}

// Size is how large a batch is, or a key's part of it.
type Size struct{ Count, Bytes int }

// queue is what waits for its slots.
type queue[K comparable, V any] struct {
	slots   []slot
	waiting []*pending[K, V]
	due     time.Time   // from when on what waits may take a slot
	timer   *time.Timer // fires when the next slot is free and may be taken, where calls wait
}

// slot is what a batch, or a call by itself, has while it is under way.
type slot struct {
	run  uint64    // what has it; 0: nothing
	free time.Time // from when on the next may take it
}

// pending is a call that waits, or is under way in a batch.
type pending[K comparable, V any] struct {
	key     K
	one     func(context.Context) (V, error) // of the first caller
	values  context.Context                  // of the first caller
	until   time.Time                        // the latest of the callers' deadlines
	endless bool                             // a caller has none
	callers int
	batch   *batch[K, V] // nil: it has not begun

	done  chan struct{} // closed at the end, then what follows is set
	value V
	err   error
}

// batch is some calls that are made at once.
type batch[K comparable, V any] struct {
	calls   []*pending[K, V]
	callers int
	ctx     context.Context
	cancel  context.CancelFunc
}

const (
	// stalledAfter is when what is under way gives up its slot, unless Stall says else: it may be a call to a node
	// that is dying, and others need not wait for that.
	stalledAfter = 50 * time.Millisecond

	// sharedTries is how many calls of one key that fail a caller waits for. Then it makes its own: where every call
	// fails, none takes much longer to say so than if they were not shared.
	sharedTries = 2

	// Never, as Stall, is for calls that must not overlap.
	Never = 24 * time.Hour

	// patience is how long a call waits for another that is in a hurry.
	patience = 5 * time.Millisecond
)

// Do returns what one returns for a key: called at once where a slot is free, else in the next batch.
func (n *Next[K, V]) Do(ctx context.Context, key K, one func(context.Context) (V, error)) (V, error) {
	return n.do(ctx, key, 0, one)
}

// Later is Do, for a call that is in no hurry: it waits a few milliseconds for the next batch. With Many only.
func (n *Next[K, V]) Later(ctx context.Context, key K, one func(context.Context) (V, error)) (V, error) {
	return n.do(ctx, key, patience, one)
}

func (n *Next[K, V]) do(ctx context.Context, key K, patience time.Duration, one func(context.Context) (V, error)) (V, error) {
	tries := sharedTries
	if n.Many != nil {
		tries = 1 // another batch of several might fail for the same one of them
	}
	for range tries {
		value, own, err := n.try(ctx, key, patience, one)
		if err == nil || own || !n.again(err) || ctx.Err() != nil {
			return value, err
		}
	}
	return one(ctx)
}

func (n *Next[K, V]) again(err error) bool {
	if n.Again != nil {
		return n.Again(err)
	}
	return blog.IsFault(err)
}

// try is do without a second try. own says that an error is the caller's own.
func (n *Next[K, V]) try(ctx context.Context, key K, patience time.Duration, one func(context.Context) (V, error)) (value V, own bool, err error) {
	n.mu.Lock()
	q := n.queue(key)
	now := time.Now()
	if s := q.free(now); s != nil && patience == 0 {
		run := n.begin(s, now)
		n.mu.Unlock()
		defer n.end(key, q, s, run)
		value, err = one(ctx)
		return value, true, err
	}
	p, first := q.wait(key)
	if first {
		p.one, p.values = one, ctx
	} else if n.Shared != nil {
		n.Shared.Inc()
	}
	p.add(ctx)
	if due := now.Add(patience); first && len(q.waiting) == 1 || due.Before(q.due) {
		q.due = due
		n.advance(q)
	}
	n.mu.Unlock()
	select {
	case <-p.done:
		return p.value, first && len(p.batch.calls) == 1, p.err
	case <-ctx.Done():
		n.leave(q, p)
		return value, true, &blog.Error{Kind: blog.Timeout, Message: "the deadline passed", Err: ctx.Err()}
	}
}

// queue returns where calls of a key wait. Like all that follows but run it is called under the lock, or takes it.
func (n *Next[K, V]) queue(key K) *queue[K, V] {
	if n.Many != nil {
		if n.all.slots == nil {
			n.all.slots = make([]slot, max(n.Slots, 1))
		}
		return &n.all
	}
	q := n.byKey[key]
	if q == nil {
		if q, _ = n.idle.Get().(*queue[K, V]); q == nil {
			q = &queue[K, V]{slots: make([]slot, 1)}
		}
		if n.byKey == nil {
			n.byKey = map[K]*queue[K, V]{}
		}
		n.byKey[key] = q
	}
	return q
}

// free returns a slot that a call may take now, nil where there is none.
func (q *queue[K, V]) free(now time.Time) *slot {
	if len(q.waiting) == 0 {
		for i := range q.slots {
			if s := &q.slots[i]; !now.Before(s.free) {
				return s
			}
		}
	}
	return nil
}

// begin gives a slot to what begins now.
func (n *Next[K, V]) begin(s *slot, now time.Time) (run uint64) {
	n.runs++
	s.run, s.free = n.runs, now.Add(cmp.Or(n.Stall, stalledAfter))
	return n.runs
}

// end gives a slot back, unless what had it took so long that another has it.
func (n *Next[K, V]) end(key K, q *queue[K, V], s *slot, run uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s.run != run {
		return
	}
	s.run, s.free = 0, time.Time{}
	n.advance(q)
	if n.Many == nil && s.run == 0 {
		delete(n.byKey, key)
		n.idle.Put(q)
	}
}

// wait returns the waiting call of a key, which may be the first one.
func (q *queue[K, V]) wait(key K) (p *pending[K, V], first bool) {
	for _, p := range q.waiting {
		if p.key == key {
			return p, false
		}
	}
	p = &pending[K, V]{key: key, done: make(chan struct{})}
	q.waiting = append(q.waiting, p)
	return p, true
}

// wake has the next slot that is free taken by what waits, once that is due.
func (n *Next[K, V]) wake(q *queue[K, V], now time.Time) {
	next := slices.MinFunc(q.slots, func(a, b slot) int { return a.free.Compare(b.free) })
	in := max(next.free.Sub(now), q.due.Sub(now))
	if q.timer != nil {
		q.timer.Reset(in)
		return
	}
	q.timer = time.AfterFunc(in, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.advance(q)
	})
}

// advance has the slots that are free taken by what waits and is due.
func (n *Next[K, V]) advance(q *queue[K, V]) {
	if len(q.waiting) == 0 {
		return
	}
	now := time.Now()
	for i := range q.slots {
		if s := &q.slots[i]; len(q.waiting) > 0 && !now.Before(q.due) && !now.Before(s.free) {
			go n.run(n.take(q), q, s, n.begin(s, now))
		}
	}
	if len(q.waiting) > 0 {
		n.wake(q, now)
	} else if q.timer != nil {
		q.timer.Stop()
	}
}

// take returns the next batch: as many of those that have waited longest as fit into one.
func (n *Next[K, V]) take(q *queue[K, V]) *batch[K, V] {
	var size Size
	count := 0
	for _, p := range q.waiting {
		part := Size{Count: 1}
		if n.SizeOf != nil {
			part = n.SizeOf(p.key)
		}
		size.Count, size.Bytes = size.Count+part.Count, size.Bytes+part.Bytes
		if count > 0 && (size.Count > n.Most.Count || size.Bytes > n.Most.Bytes) {
			break
		}
		count++
	}
	b := &batch[K, V]{calls: slices.Clone(q.waiting[:count])}
	q.waiting = slices.Delete(q.waiting, 0, count)
	n.bound(b)
	return b
}

// bound gives a batch a context of its own, which ends with that of none of its callers.
func (n *Next[K, V]) bound(b *batch[K, V]) {
	var until time.Time
	endless := false
	for _, p := range b.calls {
		p.batch = b
		b.callers += p.callers
		endless = endless || p.endless
		if p.until.After(until) {
			until = p.until
		}
	}
	if n.Limit > 0 {
		until, endless = time.Now().Add(n.Limit), false
	}
	ctx := context.WithoutCancel(b.calls[0].values)
	if endless {
		b.ctx, b.cancel = context.WithCancel(ctx)
	} else {
		b.ctx, b.cancel = context.WithDeadline(ctx, until)
	}
}

// add has one caller more wait for a call.
func (p *pending[K, V]) add(ctx context.Context) {
	p.callers++
	deadline, bounded := ctx.Deadline()
	p.endless = p.endless || !bounded
	if deadline.After(p.until) {
		p.until = deadline
	}
}

// leave takes a caller away. A call without callers is not begun, and a batch without callers is ended, unless it has a
// time of its own.
func (n *Next[K, V]) leave(q *queue[K, V], p *pending[K, V]) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p.callers--
	switch b := p.batch; {
	case b != nil:
		if b.callers--; b.callers == 0 && n.Limit == 0 {
			b.cancel()
		}
	case p.callers == 0:
		q.waiting = slices.DeleteFunc(q.waiting, func(of *pending[K, V]) bool { return of == p })
	}
}

// run makes the calls of a batch, and tells those that wait for them. It gives the slot back first: a caller that is
// told of a failure and tries again finds it free.
func (n *Next[K, V]) run(b *batch[K, V], q *queue[K, V], s *slot, run uint64) {
	first := b.calls[0]
	defer b.cancel()
	var values map[K]V
	err := blog.SafelyLogged(cmp.Or(n.Log, slog.Default()), func() (err error) {
		if len(b.calls) == 1 {
			first.value, err = first.one(b.ctx)
			return err
		}
		keys := make([]K, len(b.calls))
		for i, p := range b.calls {
			keys[i] = p.key
		}
		values, err = n.Many(b.ctx, keys)
		return err
	})
	if n.Limit > 0 && err != nil && b.ctx.Err() != nil { // no caller's time is over
		err = &blog.Error{Kind: blog.Unavailable, Message: "the store is overloaded; try again later", Err: errors.Unwrap(err)}
	}
	n.end(first.key, q, s, run)
	for _, p := range b.calls {
		if p.err = err; len(b.calls) > 1 {
			p.value = values[p.key]
		}
		close(p.done)
	}
}
