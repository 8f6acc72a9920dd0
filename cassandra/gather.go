package cassandra

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// gatherer joins reads of single rows that commands make at once. A read that finds few
// others in flight leaves at once, by itself; what comes while enough are in flight
// gathers, and leaves together when one returns: each key once, in one statement. A read
// never joins one that is in flight already, for whoever asks must see what was written
// before it asked.
type gatherer[K comparable, V any] struct {
	one     func(ctx context.Context, key K) (V, error)
	many    func(ctx context.Context, keys []K) (map[K]V, error)
	flights int
	rest    time.Duration // of a place between two flights
	log     *slog.Logger  // is told of panics

	mu       sync.Mutex
	inFlight int
	waiting  []*asked[K, V]
}

// asked is a read that waits for its flight.
type asked[K comparable, V any] struct {
	ctx    context.Context
	key    K
	answer chan found[V]
}

// reply tells whoever waits; one who was told already is told nothing more.
func (a *asked[K, V]) reply(f found[V]) {
	select {
	case a.answer <- f:
	default:
	}
}

type found[V any] struct {
	value V
	err   error
}

// maxGathered is how many rows one statement reads.
const maxGathered = 32

// read returns the row with a key, or the zero value where there is none.
func (g *gatherer[K, V]) read(ctx context.Context, key K) (V, error) {
	g.mu.Lock()
	if g.inFlight < g.flights && len(g.waiting) == 0 {
		g.inFlight++
		g.mu.Unlock()
		var v V
		var err error
		g.flight(func() { v, err = g.one(ctx, key) })
		return v, err
	}
	a := &asked[K, V]{ctx, key, make(chan found[V], 1)}
	g.waiting = append(g.waiting, a)
	g.mu.Unlock()
	select {
	case f := <-a.answer:
		if f.err != nil {
			// Whatever was wrong with it was not of this key's doing.
			return g.one(ctx, key)
		}
		return f.value, nil
	case <-ctx.Done():
		var none V
		return none, cql.Convert(ctx, ctx.Err())
	}
}

// flight does what holds a place, and lets the next go when it has returned or stalls.
func (g *gatherer[K, V]) flight(do func()) {
	stalled := time.AfterFunc(stalledAfter, g.next)
	defer func() {
		if stalled.Stop() {
			afterRest(g.rest, g.next)
		}
	}()
	do()
}

// next passes a place on.
func (g *gatherer[K, V]) next() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(a *asked[K, V]) bool { return a.ctx.Err() != nil })
	var keys []K
	n := 0
	for n < len(g.waiting) {
		if key := g.waiting[n].key; !slices.Contains(keys, key) {
			if len(keys) == maxGathered {
				break
			}
			keys = append(keys, key)
		}
		n++
	}
	if n == 0 {
		g.inFlight--
		return
	}
	next := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	go func() {
		err := blog.SafelyTold(g.log, func() error {
			g.flight(func() { g.fly(keys, next) })
			return nil
		})
		for _, a := range next {
			a.reply(found[V]{err: err}) // to whom the flight did not answer, for it panicked
		}
	}()
}

// fly reads what some have asked for. Its context is its own: it does not end with that
// of one of them.
func (g *gatherer[K, V]) fly(keys []K, next []*asked[K, V]) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(next[0].ctx), commandDeadline)
	defer cancel()
	var rows map[K]V
	var err error
	if len(keys) == 1 {
		var v V
		v, err = g.one(ctx, keys[0])
		rows = map[K]V{keys[0]: v}
	} else {
		rows, err = g.many(ctx, keys)
	}
	for _, a := range next {
		a.reply(found[V]{rows[a.key], err})
	}
}
