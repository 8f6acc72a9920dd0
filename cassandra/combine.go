package cassandra

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// combiner joins the writes of commands that run at once into batches. A write that finds
// few others in flight leaves at once, by itself, so a lone command pays nothing; what
// comes while enough are in flight gathers, and leaves together when one returns.
//
// Joined writes succeed or fail together, and whoever made one insists on it by himself:
// each has its own write time, so a repetition is harmless. A batch that Cassandra would
// not take as it is, is tried write by write, so that one bad write harms no other.
type combiner struct {
	write   func(ctx context.Context, entries ...cql.Bound) error
	shared  func(ctx context.Context, entries []cql.Bound, began time.Time, err error) // is told of each share of a batch; nil: nobody
	flights int                                                                        // in flight at once
	rest    time.Duration                                                              // of a place between two flights
	log     *slog.Logger                                                               // is told of panics

	mu       sync.Mutex
	inFlight int // flights that hold a place
	waiting  []*joined
}

// stalledAfter is when a flight gives its place up to another, for it may be one to a
// node that is dying, and nobody else should wait for that.
const stalledAfter = 50 * time.Millisecond

// joined is a write that waits for its flight.
type joined struct {
	ctx     context.Context
	entries []cql.Bound
	size    int
	answer  chan error
}

// reply tells whoever waits; one who was told already is told nothing more.
func (j *joined) reply(err error) {
	select {
	case j.answer <- err:
	default:
	}
}

// Cassandra shares the work on a batch among no one: a batch of very many small entries
// takes as long as they would one after the other.
const maxBatchEntries = 256

// join writes entries, alone or with those of others, in batches of at most
// maxBatchBytes, and returns when they are written, or when ctx ends.
func (c *combiner) join(ctx context.Context, entries []cql.Bound) error {
	for len(entries) > 0 {
		part, rest := cql.Split(entries)
		if err := c.joinPart(ctx, part); err != nil {
			return err
		}
		entries = rest
	}
	return nil
}

func (c *combiner) joinPart(ctx context.Context, entries []cql.Bound) error {
	c.mu.Lock()
	if c.inFlight < c.flights && len(c.waiting) == 0 {
		c.inFlight++
		c.mu.Unlock()
		return c.flight(func() error { return c.write(ctx, entries...) })
	}
	j := &joined{ctx: ctx, entries: entries, answer: make(chan error, 1)}
	for _, entry := range entries {
		j.size += entry.Size()
	}
	c.waiting = append(c.waiting, j)
	c.mu.Unlock()
	select {
	case err := <-j.answer:
		return err
	case <-ctx.Done():
		return cql.Convert(ctx, ctx.Err())
	}
}

// flight does what holds a place, and lets the next go when it has landed or stalls.
func (c *combiner) flight(do func() error) error {
	stalled := time.AfterFunc(stalledAfter, c.next)
	defer func() {
		if stalled.Stop() {
			afterRest(c.rest, c.next)
		}
	}()
	return do()
}

// afterRest calls next, at once where there is no rest.
func afterRest(rest time.Duration, next func()) {
	if rest == 0 {
		next()
		return
	}
	time.AfterFunc(rest, next)
}

// next passes a place on.
func (c *combiner) next() {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.take()
	if len(next) == 0 {
		c.inFlight--
		return
	}
	go func() {
		err := blog.SafelyTold(c.log, func() error {
			return c.flight(func() error { c.fly(next); return nil })
		})
		for _, j := range next {
			j.reply(err) // to whom the flight did not answer, for it panicked
		}
	}()
}

// take returns those of the waiting that fit into one batch; mu is held. Whoever's time
// is over has gone.
func (c *combiner) take() []*joined {
	c.waiting = slices.DeleteFunc(c.waiting, func(j *joined) bool { return j.ctx.Err() != nil })
	n, size, entries := 0, 0, 0
	for n < len(c.waiting) {
		j := c.waiting[n]
		if n > 0 && (size+j.size > cql.MaxBatchBytes || entries+len(j.entries) > maxBatchEntries) {
			break
		}
		size += j.size
		entries += len(j.entries)
		n++
	}
	next := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return next
}

// fly writes what some have joined. The batch's context is its own, where there are several
// of them: it is nobody's, and does not end with that of one of them.
func (c *combiner) fly(next []*joined) {
	if len(next) == 1 {
		c.flyAlone(next[0], time.Now().Add(commandDeadline))
		return
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), commandDeadline)
	defer cancel()
	var entries []cql.Bound
	for _, j := range next {
		entries = append(entries, j.entries...)
	}
	err := c.write(ctx, newest(entries)...)
	alone := err != nil && blog.KindOf(err) == blog.Internal
	for _, j := range next {
		if c.shared != nil {
			c.shared(j.ctx, j.entries, began, err)
		}
		if alone {
			c.flyAlone(j, began.Add(commandDeadline))
		} else {
			j.reply(notTheirs(ctx, err))
		}
	}
}

// flyAlone writes what one has brought. Where he leaves, it is written all the same.
func (c *combiner) flyAlone(j *joined, deadline time.Time) {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(j.ctx), deadline)
	defer cancel()
	j.reply(notTheirs(ctx, c.write(ctx, j.entries...)))
}

// notTheirs makes of a flight's own deadline an error after which those who joined it may
// try again.
func notTheirs(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &blog.Error{Kind: blog.Unavailable, Message: "the store is overloaded; try again later", Err: errors.Unwrap(err)}
}

// newest leaves out those of several writes of the same cells that a newer one of them
// replaces: the copies of a hot post's count.
func newest(entries []cql.Bound) []cql.Bound {
	last := make(map[cql.Cells]int64, len(entries))
	for _, entry := range entries {
		if entry.Copy {
			last[entry.Cells()] = max(last[entry.Cells()], entry.Stamp())
		}
	}
	return slices.DeleteFunc(entries, func(entry cql.Bound) bool {
		if !entry.Copy {
			return false
		}
		stamp, wanted := last[entry.Cells()]
		if !wanted || stamp > entry.Stamp() {
			return true
		}
		delete(last, entry.Cells())
		return false
	})
}
