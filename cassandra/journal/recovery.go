package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/internal/service"
)

// grace is how old an entry must be before it counts as left behind: a command's deadline, and what clocks may be
// apart.
const grace = cql.CommandDeadline + blog.ClockSkew + time.Second

const (
	rereadAfter   = time.Hour
	recoverEvery  = 5 * time.Second
	finishAtOnce  = 16               // entries of a shard, concurrently
	heldAgain     = 10 * time.Second // until a job is looked at that another server does
	maxOpen       = 10_000           // entries of a shard whose next look is kept
	expiringAfter = TTL - 24*time.Hour
)

// position is how far recovery has come in one shard.
type position struct {
	Passed time.Time   `json:"passed"`
	Reread time.Time   `json:"reread"`
	Open   []openEntry `json:"open,omitempty"`
}

// openEntry is an entry that was found undone and is looked at again.
type openEntry struct {
	Entry  blog.CommandID `json:"entry"`
	Looks  int            `json:"looks"`
	Failed bool           `json:"failed,omitempty"` // at the last of them
	Next   time.Time      `json:"next"`
}

// halfDone is false of a command that was looked at and not applied: nothing is to be finished, unless its conditional write
// comes late.
func (e openEntry) halfDone() bool { return e.Looks == 0 || e.Failed }

func shardName(shard int) string { return fmt.Sprintf("recovery/%d", shard) }

// Finish brings to its end what a command left that is not marked done. It reports whether the entry is done with;
// where it is not, it is looked at again. looks is how often that was done before.
type Finish func(ctx context.Context, in Intent, looks int) (done bool, err error)

// Recovery looks through the journal, in every server, for entries that are not marked done long after they were
// written, and finishes them. A shard of the journal is one server's at a time, by a lease that saves double work; its
// position is shared:
//
//	      reread          passed             now - grace       now
//	────────┼───────────────┼─────────────────────┼─────────────┼──▶ ids
//	twice   │     once      │     this pass       │ under way
//	        │               │
//	        └ an hour old   └ open: entries found undone that could not be
//	                          finished yet, each with the time of its next look
//
// A row is read twice in its life, in the order of the primary key: what was written with a clock that is behind, or
// came late, is found an hour later. All of this is in the cluster's time, for all servers share the position.
type Recovery struct {
	journal *Journal
	leases  job.Leases
	clocks  *cluster.Clocks
	finish  Finish
	shards  [shards]*service.Service

	mu        sync.Mutex
	open      [shards][]openEntry // of the shards that this server looks after
	passed    [shards]time.Time   // zero: of a shard that another looks after
	held      [shards]bool        // it looks after the shard now
	recovered atomic.Int64
}

// NewRecovery returns what finishes the entries of a journal.
func NewRecovery(j *Journal, leases job.Leases, clocks *cluster.Clocks, finish Finish) *Recovery {
	r := &Recovery{journal: j, leases: leases, clocks: clocks, finish: finish}
	for shard := range r.shards {
		r.shards[shard] = &service.Service{
			Once:  func(ctx context.Context) error { return r.passLeased(ctx, shard) },
			Every: recoverEvery,
			Log:   j.log.With("shard", shard),
			Fails: "recovery: a pass over the journal failed; trying again",
			Last:  func() { r.leave(shard) },
		}
	}
	return r
}

// Start begins to look after the journal. Any number of servers may do so at once.
func (r *Recovery) Start(ctx context.Context) {
	for _, shard := range r.shards {
		shard.Start(ctx)
	}
}

// Stop ends it, and returns when nothing is under way.
func (r *Recovery) Stop() {
	for _, shard := range r.shards {
		shard.Stop()
	}
}

// leave gives a shard up: another server should not have to wait.
func (r *Recovery) leave(shard int) {
	r.forget(shard)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = r.leases.Leave(ctx, shardName(shard))
}

// passLeased makes a pass where this server looks after the shard. While its clock is too far off it leaves that to
// others, for what it finishes is stamped by its clock.
func (r *Recovery) passLeased(ctx context.Context, shard int) error {
	ctx, cancel := context.WithTimeout(ctx, passLimit)
	defer cancel()
	if r.clocks.Right(ctx) != nil { // which was logged
		r.forget(shard)
		return nil
	}
	held, err := r.leases.Take(ctx, shardName(shard))
	if err != nil {
		r.hold(shard, false) // its position stays: if nobody can look after the shard, that falls behind
		return err
	}
	if !held {
		r.forget(shard)
		return nil
	}
	r.hold(shard, true)
	_, err = r.pass(ctx, shard, false) // what it left was logged, and is open
	return err
}

// passLimit bounds one pass; a job that takes longer goes on from its checkpoint at the next one. With what is saved
// after it, and the pause, a pass is below the time of the lease.
const (
	passLimit = job.LeaseTime / 2
	saveLimit = job.LeaseTime / 10
)

// Once finishes, once, all that was left undone longer ago than a command takes, whatever other servers do. What can't
// be finished yet stays in the journal. Unavailable: the cluster did not answer for some of it, which is worth another
// attempt.
func (r *Recovery) Once(ctx context.Context) error {
	if err := r.clocks.Right(ctx); err != nil {
		return err
	}
	passes := make([]func() error, shards)
	for shard := range shards {
		passes[shard] = func() error {
			left, err := r.pass(ctx, shard, true)
			return cmp.Or(err, left)
		}
	}
	return cql.Convert(ctx, cql.Concurrently(passes...))
}

// pass looks at the entries that have become old enough, at those that are due again, and at all open ones if it is
// told to. left is why one of them is still open that the cluster kept from being finished.
func (r *Recovery) pass(ctx context.Context, shard int, all bool) (left, err error) {
	at, err := job.Load[position](ctx, r.journal.db, shardName(shard))
	if err != nil {
		return nil, err
	}
	before := at.Position
	next, err := r.advance(ctx, shard, before)
	if err != nil {
		return nil, err
	}
	left = r.look(ctx, &next, all)
	r.note(shard, next)
	if !next.worthSaving(before) {
		return left, nil
	}
	// Where another server was faster its position counts: this one's entries are found once more. A pass that was cut
	// off has something to save as well.
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	_, err = at.Save(saving, next)
	return left, err
}

// saveEvery is how much of the journal may be read again after a server's death.
const saveEvery = time.Minute

func (p position) worthSaving(before position) bool {
	return !slices.Equal(p.Open, before.Open) || p.Passed.Sub(before.Passed).Abs() > saveEvery
}

// mend corrects a position that lies in the future, and reports whether it did: an earlier program put it there, on a
// server whose clock was ahead. What was written since a time that is not known is to be read then, so the position
// goes back to where the journal begins.
func (p *position) mend(now time.Time) bool {
	if !p.Passed.After(now) {
		return false
	}
	p.Passed = now.Add(-TTL)
	p.Reread = earlier(p.Reread, now.Add(-rereadAfter))
	for i := range p.Open {
		p.Open[i].Next = earlier(p.Open[i].Next, now)
	}
	return true
}

// advance reads the journal on, and returns the position with the undone entries found. Where there are more than can
// be kept it stops for now.
func (r *Recovery) advance(ctx context.Context, shard int, p position) (position, error) {
	p.Open = slices.Clone(p.Open)
	now := r.clocks.Now()
	names := r.journal.partitions(ctx)
	if ahead := p.Passed.Sub(now); p.mend(now) {
		r.journal.log.Warn("recovery: the position in the journal was in the future, as a wrong clock put it; the journal is read from its beginning", "shard", shard, "ahead", ahead)
		var err error
		if p.Open, err = r.dated(ctx, shard, names, now, p.Open); err != nil {
			return p, err
		}
	}
	if p.Passed.IsZero() {
		first, err := firstMinute(names, now)
		if err != nil {
			return p, err
		}
		p.Passed, p.Reread = first, first
	}
	for _, part := range []struct {
		from *time.Time
		to   time.Time
	}{{&p.Reread, now.Add(-rereadAfter)}, {&p.Passed, now.Add(-grace)}} {
		if !part.from.Before(part.to) {
			continue
		}
		minutes, err := minutesOf(names, shard, *part.from, part.to)
		if err != nil {
			return p, err
		}
		for _, minute := range minutes {
			if len(p.Open) >= maxOpen {
				return p, nil
			}
			from, to := later(*part.from, minute), earlier(minute.Add(time.Minute), part.to)
			found, err := r.newlyOpen(ctx, shard, minute, from, to, p.Open)
			if err != nil {
				return p, err
			}
			p.Open, *part.from = append(p.Open, found...), to
		}
		*part.from = part.to
	}
	return p, nil
}

// dated returns the open entries with those that stand in the future: the same clock dated them so, and by the time
// that they are due they will have expired.
func (r *Recovery) dated(ctx context.Context, shard int, names func() ([]partition, error), now time.Time, open []openEntry) ([]openEntry, error) {
	minutes, err := minutesOf(names, shard, now.Add(blog.ClockSkew), cql.EndOfTime)
	for _, minute := range minutes {
		if err != nil || len(open) >= maxOpen {
			break
		}
		var found []openEntry
		found, err = r.newlyOpen(ctx, shard, minute, minute, minute.Add(time.Minute), open)
		open = append(open, found...)
	}
	return open, err
}

// newlyOpen returns the undone entries of a stretch of one minute that are not known.
func (r *Recovery) newlyOpen(ctx context.Context, shard int, minute, from, to time.Time, known []openEntry) (found []openEntry, err error) {
	err = r.journal.eachUndone(ctx, shard, []time.Time{minute}, from, to, func(entry blog.CommandID, _, _ string) error {
		if !slices.ContainsFunc(known, func(open openEntry) bool { return open.Entry == entry }) {
			found = append(found, openEntry{Entry: entry})
		}
		return nil
	})
	return found, err
}

func later(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }

func earlier(a, b time.Time) time.Time { return slices.MinFunc([]time.Time{a, b}, time.Time.Compare) }

// look finishes the open entries that are due, and keeps those that can't be finished. Those that were not looked at
// for long come first: a job that goes on for many passes holds up no other. It returns why one is kept that the
// cluster kept from being finished.
func (r *Recovery) look(ctx context.Context, p *position, all bool) (left error) {
	slices.SortStableFunc(p.Open, func(a, b openEntry) int { return a.Next.Compare(b.Next) })
	var running sync.WaitGroup
	slots := make(chan struct{}, finishAtOnce)
	kept, errs := make([]*openEntry, len(p.Open)), make([]error, len(p.Open))
	for i, open := range p.Open {
		kept[i] = &open
		if !all && open.Next.After(r.clocks.Now()) || ctx.Err() != nil {
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			_ = blog.SafelyLogged(r.journal.log, func() error { kept[i], errs[i] = r.lookAt(ctx, open); return nil }) // else it stays open
		})
	}
	running.Wait()
	p.Open = p.Open[:0]
	for _, open := range kept {
		if open != nil {
			p.Open = append(p.Open, *open)
		}
	}
	return cmp.Or(errs...)
}

// lookAt finishes one entry. left is nil when there is nothing left to do, and unanswered where that is for want of
// the cluster's answer.
func (r *Recovery) lookAt(ctx context.Context, open openEntry) (left *openEntry, unanswered error) {
	in, done, err := r.journal.Read(ctx, open.Entry)
	if done || err == nil && in.Kind == "" { // or it has expired
		return nil, nil
	}
	finished := false
	if err == nil {
		err = blog.Safely(func() (err error) {
			finished, err = r.finish(ctx, in, open.Looks)
			return err
		})
	}
	if err == nil && finished {
		err = r.journal.Complete(ctx, open.Entry)
	}
	now := r.clocks.Now()
	switch {
	case errors.Is(err, cql.ErrHeld):
		open.Next = now.Add(heldAgain)
	case err != nil && ctx.Err() != nil:
		open.Next = now // cut off: goes on at the next pass
	case err != nil && (blog.KindOf(err) == blog.Unavailable || blog.KindOf(err) == blog.Timeout):
		r.journal.log.Warn("recovery: a command can't be finished; trying again", "entry", open.Entry, "kind", in.Kind, "error", err)
		open.Next, unanswered = now.Add(recoverEvery), err
	case err != nil:
		r.journal.log.Error("recovery: a command can't be finished", "entry", open.Entry, "kind", in.Kind, "error", err)
		fallthrough
	case !finished:
		open.Next, open.Failed = now.Add(nextLook(open.Looks)), err != nil
		open.Looks++
	default:
		r.recovered.Add(1)
		return nil, nil
	}
	return &open, unanswered
}

func (r *Recovery) note(shard int, at position) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[shard], r.passed[shard] = at.Open, at.Passed
}

func (r *Recovery) hold(shard int, held bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[shard] = held
}

func (r *Recovery) forget(shard int) {
	r.note(shard, position{})
	r.hold(shard, false)
}

// Report tells how far recovery has come.
func (r *Recovery) Report(u *blog.Upkeep) {
	now := r.clocks.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	u.Recovered, u.Parts = r.recovered.Load(), shards
	for shard, passed := range r.passed {
		if r.held[shard] {
			u.Held++
		}
		if lag := now.Sub(passed); !passed.IsZero() && lag.Abs() > u.RecoveryLag.Abs() {
			u.RecoveryLag = lag
		}
	}
	for _, shard := range r.open {
		for _, open := range shard {
			if !open.halfDone() {
				continue
			}
			u.Undone++
			age := now.Sub(open.Entry.Time())
			u.OldestUndone = max(u.OldestUndone, age)
			if age > expiringAfter {
				u.Expiring++
			}
		}
	}
}

// The times after which an entry is looked at again whose command is not applied: its conditional write may come late,
// if only hardly ever so late.
var lookAgain = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}

func nextLook(looks int) time.Duration { return lookAgain[min(looks, len(lookAgain)-1)] }
