package counted

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/pace"
)

const (
	maxBatch      = 64        // changes
	maxBatchBytes = 128 << 10 // Paxos keeps the whole batch on each replica

	firstPause = time.Millisecond
	lastPause  = 50 * time.Millisecond
	maxPause   = time.Second // where attempts take long

	// askLimit is how long a batch waits for what a change must do before it.
	askLimit = time.Second
)

// leader makes the batches of one queue, from the first change of an empty queue to the last, in one goroutine.
type leader[P comparable, R any] struct {
	*Partitions[P, R]
	parent P
	queue  *queue[R]
	now    Header        // that the changes go by
	batch  []*pending[R] // changes that were taken from the queue and are not answered
	// pause is how long the next batch is gathered; zero while no other server was faster lately. It is kept in the
	// queue.
	pause time.Duration
}

func (l *leader[P, R]) lead() {
	for l.take() {
		if err := blog.SafelyLogged(l.Log, func() error { l.attempt(); return nil }); err != nil {
			l.abandon(err)
		}
	}
}

// abandon ends an attempt that panicked: what became of its changes is not known.
func (l *leader[P, R]) abandon(err error) {
	for _, m := range l.batch {
		m.reply(Outcome{}, err)
	}
	l.batch = nil
}

// take takes into the batch the changes that wait and fit in, and drops those whose time is over. It reports false,
// and the leader's work is over, where there is none. Two changes of one row keep their order and share no batch.
// After a row has refused, nothing is taken: the changes of the batch have been read again, and those that wait have
// not.
func (l *leader[P, R]) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.batch = slices.DeleteFunc(l.batch, func(m *pending[R]) bool { return m.ctx.Err() != nil })
	size := 0
	rows := map[blog.UUID]bool{}
	for _, m := range l.batch {
		size += m.size
		rows[m.Row] = true
	}
	full := slices.ContainsFunc(l.batch, func(m *pending[R]) bool { return m.alone || m.blamed > 0 })
	l.queue.waiting = slices.DeleteFunc(l.queue.waiting, func(m *pending[R]) bool {
		if !full && len(l.batch) > 0 {
			full = len(l.batch) >= maxBatch || size+m.size > maxBatchBytes
		}
		if full || rows[m.Row] {
			rows[m.Row] = true
			return false
		}
		rows[m.Row] = true
		size += m.size
		l.batch = append(l.batch, m)
		return true
	})
	if len(l.batch) > 0 {
		return true
	}
	l.queue.led = false
	l.queue.pause = l.pause
	l.forget(l.parent, l.queue)
	return false
}

func (l *leader[P, R]) attempt() {
	ctx, cancel := l.context()
	defer cancel()
	for _, m := range l.batch {
		if m.Seen.Version > l.now.Version {
			l.now = m.Seen
		}
	}
	l.ask()
	trying := l.batch
	if len(trying) > 0 && trying[0].alone {
		trying = trying[:1]
	}
	next, trying := l.admit(ctx, trying)
	if len(trying) == 0 {
		return
	}
	var entries []cql.Bound
	for _, m := range trying {
		own := next
		own.Stored = m.own.Stored
		entries = append(entries, m.Entries(own)...)
	}
	start := time.Now()
	applied, err := l.Replace(ctx, l.parent, l.now, next, entries)
	switch {
	case applied && err == nil:
		l.applied(next, trying)
	case err != nil && blog.KindOf(err) == blog.Internal:
		l.failed(trying, err)
	default:
		l.notApplied(ctx, trying, err != nil, time.Since(start))
	}
}

// context returns the batch's own: it ends when the last one's of its changes does.
func (l *leader[P, R]) context() (context.Context, context.CancelFunc) {
	var last time.Time
	for _, m := range l.batch {
		deadline, bounded := m.ctx.Deadline()
		if !bounded {
			deadline = time.Now().Add(cql.CommandDeadline)
		}
		if deadline.After(last) {
			last = deadline
		}
	}
	return context.WithDeadline(context.WithoutCancel(l.batch[0].ctx), last)
}

// ask does what changes must do before an attempt, all at once. A change that is slow about it goes to the end of the
// queue, and holds up no other.
func (l *leader[P, R]) ask() {
	var steps []func() error
	for _, m := range l.batch {
		if m.stopped = nil; m.Before == nil {
			continue
		}
		var before func(context.Context) error
		if m.stopped = blog.Safely(func() error { before = m.Before(l.now); return nil }); before == nil {
			continue
		}
		steps = append(steps, func() error {
			ctx, cancel := context.WithTimeout(m.ctx, askLimit)
			defer cancel()
			m.stopped = blog.Safely(func() error { return before(ctx) })
			return nil
		})
	}
	_ = cql.Concurrently(steps...)
	for _, m := range l.batch {
		switch {
		case m.stopped == nil:
		case blog.KindOf(m.stopped) == blog.Timeout && m.ctx.Err() == nil:
			l.drop(m)
			l.mu.Lock()
			l.queue.waiting = append(l.queue.waiting, m)
			l.mu.Unlock()
		default:
			l.answer(m, Outcome{}, m.stopped)
		}
	}
}

// admit returns the header that the next attempt makes, and the changes that are in it. One that does not fit behind
// the others waits for the next attempt, which knows whether those were applied.
func (l *leader[P, R]) admit(ctx context.Context, batch []*pending[R]) (next Header, in []*pending[R]) {
	next = l.now
	next.Version, next.Stamp, next.Stored = l.now.Version+1, blog.NextStamp(l.Clock, l.now.Stamp), l.now.Size()
	var full []*pending[R]
	for _, m := range batch {
		with, refusal := m.fits(l.Config, next)
		switch {
		case l.now.Closed && m.maybe: // it may have been applied, and its row gone since
			l.answer(m, Outcome{}, cql.Unsure(l.Gone))
		case l.now.Closed:
			l.answer(m, Outcome{}, l.Gone)
		case refusal != nil:
			full = append(full, m)
		default:
			next = with
			next.Stamp = max(next.Stamp, m.Floor+1)
			m.own = next
			in = append(in, m)
		}
	}
	if len(full) == 0 {
		return next, in
	}
	news, unread := l.look(ctx, batch)
	if news {
		return Header{}, nil
	}
	for _, m := range full {
		if _, alone := m.fits(l.Config, l.now); alone != nil || unread != nil {
			l.answer(m, Outcome{}, cmp.Or(unread, alone))
		}
	}
	return next, in
}

// look makes sure, before changes are refused because there is no room, that the header which says so is not old, and
// that none of them was made before: what an idempotency key has made, or a like that was given, stays so. It reports
// whether there is anything new.
func (l *leader[P, R]) look(ctx context.Context, batch []*pending[R]) (news bool, err error) {
	before, taken := l.now, len(l.batch)
	var doubtful []*pending[R]
	for _, m := range batch {
		if m.needsLook() && m.adds() {
			doubtful = append(doubtful, m)
		}
	}
	err = cql.Insist(ctx, func(ctx context.Context) error { return l.settle(ctx, doubtful) })
	return l.now != before || len(l.batch) < taken, err
}

func (l *leader[P, R]) answer(m *pending[R], o Outcome, err error) {
	l.drop(m)
	m.reply(o, err)
}

func (l *leader[P, R]) drop(m *pending[R]) {
	l.batch = slices.DeleteFunc(slices.Clone(l.batch), func(other *pending[R]) bool { return other == m })
}

func (l *leader[P, R]) applied(next Header, in []*pending[R]) {
	l.know(next)
	for _, m := range in {
		l.answer(m, Outcome{next, m.own.Rows}, nil)
	}
	// Where other servers write too, they have their turn now.
	if l.pause /= 2; l.pause < firstPause {
		l.pause = 0
	}
	l.backOff()
}

// backOff lets changes gather for some part of the pause, and then looks how far others have come meanwhile.
func (l *leader[P, R]) backOff() {
	if l.pause == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cql.CommandDeadline)
	defer cancel()
	_ = pace.Wait(ctx, l.pause/2+l.Jitter(l.pause/2))
	if now, err := l.Header(ctx, l.parent); err == nil && now.Version > l.now.Version {
		l.know(now)
	}
}

// know tells the queue which header its changes go by.
func (l *leader[P, R]) know(now Header) {
	l.now = now
	l.mu.Lock()
	l.queue.now = now
	l.mu.Unlock()
	l.headers.Add(l.parent, now)
}

// failed has the changes of a batch that Cassandra would not take tried one by one, so that the one to blame is alone.
func (l *leader[P, R]) failed(in []*pending[R], err error) {
	if len(in) == 1 {
		l.answer(in[0], Outcome{}, err)
		return
	}
	for _, m := range in {
		m.alone, m.maybe = true, true
	}
}

// notApplied finds out what became of an attempt, answers for the changes that exist or can't be made any more, and
// waits a little before the next: another server was faster, or Cassandra can't follow. The server that waits longer
// then has the larger batch. Where an attempt takes long, so does the pause: two attempts at once cost both.
func (l *leader[P, R]) notApplied(ctx context.Context, in []*pending[R], unsure bool, took time.Duration) {
	for _, m := range in {
		m.maybe = m.maybe || unsure
	}
	l.pause = min(max(2*l.pause, firstPause), min(max(lastPause, 2*took), maxPause))
	tried := l.now
	if !unsure && !slices.ContainsFunc(in, (*pending[R]).needsLook) {
		if l.backOff(); l.now.Version > tried.Version {
			l.lostRace()
			return
		}
	}
	err := cql.Insist(ctx, func(ctx context.Context) error { return l.settle(ctx, in) })
	if err != nil {
		for _, m := range in {
			if slices.Contains(l.batch, m) {
				l.answer(m, Outcome{}, err)
			}
		}
		return
	}
	switch {
	case unsure:
	case l.now.Version == tried.Version:
		l.blame(in)
		return
	default:
		l.lostRace()
	}
	for _, m := range in {
		m.blamed = 0
	}
	l.backOff()
}

// blame goes on after a refusal although no other server was faster: what a command went by of its row was older than
// the header. Both were read again meanwhile, so the next attempt passes. Where it does not, the cells of a row, or of
// the header, contradict what is read of them. Each change then has a batch of its own, and that of the row to blame
// ends.
func (l *leader[P, R]) blame(in []*pending[R]) {
	again := false
	for _, m := range in {
		m.blamed++
		if m.blamed == cql.MaxRefusals && slices.Contains(l.batch, m) {
			l.answer(m, Outcome{}, cql.ErrContradicts(l.Name, fmt.Sprint(l.parent, "/", m.Row)))
		}
		m.alone = m.alone || m.blamed > 1
		again = again || m.blamed > 1
	}
	if !again {
		l.pause = 0
	}
	l.backOff()
}

// lostRace notes that another server was faster. A deletion, which is so but once, does not count.
func (l *leader[P, R]) lostRace() {
	if !l.now.Closed {
		l.raced.Store(time.Now().UnixNano())
	}
}
