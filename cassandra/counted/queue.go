package counted

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// How many commands may be under way on one partition, and on all of a process, those that wait included.
const (
	maxCommands    = 1024
	maxAllCommands = 16 * maxCommands
)

// errCrowded tells a command that too many are under way.
var errCrowded = blog.Errorf(blog.Unavailable, "too many commands are waiting; try again in a second")

// queue is what this process has under way on one partition.
type queue[R any] struct {
	commands int           // under way
	waiting  []*pending[R] // in the order of their arrival
	led      bool          // a batch is gathered or in flight
	now      Header        // as the last batch left it
	pause    time.Duration
}

// Enter admits a command that is going to change a partition, and calls leave in the end. Unavailable: too many are
// under way.
func (p *Partitions[P, R]) Enter(parent P) (leave func(), err error) {
	if p.Limit.commands.Add(1) > maxAllCommands {
		p.Limit.commands.Add(-1)
		return nil, errCrowded
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(parent)
	if q.commands >= maxCommands {
		p.Limit.commands.Add(-1)
		return nil, errCrowded
	}
	q.commands++
	return func() {
		p.Limit.commands.Add(-1)
		p.mu.Lock()
		defer p.mu.Unlock()
		q.commands--
		p.forget(parent, q)
	}, nil
}

// queue returns the queue of a partition; mu is held.
func (p *Partitions[P, R]) queue(parent P) *queue[R] {
	q := p.queues[parent]
	if q == nil {
		q = &queue[R]{}
		p.queues[parent] = q
	}
	return q
}

// forget drops a queue on which nothing is under way; mu is held.
func (p *Partitions[P, R]) forget(parent P, q *queue[R]) {
	if q.commands == 0 && !q.led && p.queues[parent] == q {
		delete(p.queues, parent)
	}
}

// Commit makes a change of a partition. It returns the refusal of one that is closed, or full. Where ctx ends first,
// the change is not made if its batch was not sent; its outcome is not known if it was, and the functions of c may
// still be called: after an error nothing may be read that they write.
func (p *Partitions[P, R]) Commit(ctx context.Context, parent P, c Change[R]) (Outcome, error) {
	m := &pending[R]{Change: c, ctx: ctx, answer: make(chan answer, 1)}
	for _, entry := range c.Entries(Header{}) {
		m.size += entry.Size()
	}
	q := p.enqueue(parent, m)
	select {
	case a := <-m.answer:
		return a.Outcome, a.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(other *pending[R]) bool { return other == m })
	select {
	case a := <-m.answer:
		return a.Outcome, a.err
	default:
		return Outcome{}, cql.Convert(ctx, ctx.Err())
	}
}

// enqueue puts a change into its queue, and starts a leader if there is none.
func (p *Partitions[P, R]) enqueue(parent P, m *pending[R]) *queue[R] {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(parent)
	q.waiting = append(q.waiting, m)
	if !q.led {
		q.led = true
		l := &leader[P, R]{Partitions: p, parent: parent, queue: q, now: q.now, pause: q.pause}
		go l.lead()
	}
	return q
}
