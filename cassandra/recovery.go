package cassandra

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
)

// Every server looks through the journal for entries that are not marked done long after
// they were written, and finishes them. A shard of the journal is one server's at a time,
// by a lease that saves double work; its position is shared:
//
//	          reread          passed             now - grace       now
//	    ────────┼───────────────┼─────────────────────┼─────────────┼──▶ ids
//	    twice   │     once      │     this pass       │ under way
//	            │               │
//	            └ an hour old   └ open: entries found undone that could not be
//	                              finished yet, each with the time of its next look
//
// A row is read twice in its life, in the order of the primary key, whatever became of
// it, and no row is ever deleted: there are no tombstones to pass. What was written with
// a clock that is behind, or came late, is found an hour later. All of this is in the
// cluster's time, for the position is everybody's.

// grace is how old an entry must be before it counts as left behind: a command's
// deadline, and what clocks may be apart.
const grace = cql.CommandDeadline + blog.ClockSkew + time.Second

const (
	rereadAfter   = time.Hour
	journalTTL    = 3 * 24 * time.Hour // default_time_to_live of the table
	recoverEvery  = 5 * time.Second
	finishAtOnce  = 16               // entries of a shard, concurrently
	heldAgain     = 10 * time.Second // until a job is looked at that another server does
	maxOpen       = 10_000           // entries of a shard whose next look is kept
	expiringAfter = journalTTL - 24*time.Hour
)

// journalPosition is how far recovery has come in one shard.
type journalPosition struct {
	Passed time.Time   `json:"passed"`
	Reread time.Time   `json:"reread"`
	Open   []openEntry `json:"open,omitempty"`
}

// openEntry is an entry that was found undone and is looked at again.
type openEntry struct {
	Entry blog.CommandID `json:"entry"`
	Looks int            `json:"looks"`
	Next  time.Time      `json:"next"`
}

func shardName(shard int) string { return fmt.Sprintf("recovery/%d", shard) }

// recovery is what this process knows of its part in it.
type recovery struct {
	mu        sync.Mutex
	open      [journalShards][]openEntry // of the shards that this server looks after
	passed    [journalShards]time.Time   // zero: of a shard that it does not look after
	recovered int64
}

// Maintain does the store's own work until ctx ends: it finishes what commands left
// behind whose server died. Any number of servers may do so at once.
func (s *Store) Maintain(ctx context.Context) {
	var work sync.WaitGroup
	for shard := range journalShards {
		work.Go(func() { s.maintainShard(ctx, shard) })
	}
	work.Go(func() { s.maintainCheckpoints(ctx) })
	work.Go(func() { s.clocks.Maintain(ctx) })
	work.Wait()
}

const (
	// forgetEvery is how often a server looks for checkpoints that lead nowhere.
	forgetEvery = time.Hour

	// forgottenAfter is how long a job's checkpoint outlives its last save. A job that
	// goes on saves after each page, and a server that would go on with another one finds it by its
	// command's entry in the journal, which has ended by then.
	forgottenAfter = journalTTL + time.Hour
)

// maintainCheckpoints removes what jobs left that no server goes on with, until ctx ends.
func (s *Store) maintainCheckpoints(ctx context.Context) {
	for {
		err := blog.Safely(func() error { return s.forgetOldJobs(ctx) })
		if err != nil && ctx.Err() == nil {
			s.log.Warn("checkpoints of jobs that ended can't be removed; trying again later", "error", err)
		}
		if cql.Wait(ctx, forgetEvery) != nil {
			return
		}
	}
}

func (s *Store) forgetOldJobs(ctx context.Context) error {
	return job.ForgetJobs(ctx, s.db, s.clocks.Now().Add(-forgottenAfter))
}

func (s *Store) maintainShard(ctx context.Context, shard int) {
	defer func() {
		s.recovery.forget(shard)
		// ctx has ended: another server should not have to wait.
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = s.leases.Leave(leaving, shardName(shard))
	}()
	for {
		err := blog.Safely(func() error { return s.passLeased(ctx, shard) })
		if err != nil && ctx.Err() == nil {
			s.log.Warn("recovery: a pass over the journal failed; trying again", "shard", shard, "error", err)
		}
		if cql.Wait(ctx, recoverEvery) != nil {
			return
		}
	}
}

// passLeased makes a pass where this server looks after the shard. While its clock is too
// far off it leaves that to others, for what it finishes is stamped by its clock.
func (s *Store) passLeased(ctx context.Context, shard int) error {
	ctx, cancel := context.WithTimeout(ctx, passLimit)
	defer cancel()
	if s.clocks.Right(ctx) != nil { // which was logged
		s.recovery.forget(shard)
		return nil
	}
	held, err := s.leases.Take(ctx, shardName(shard))
	if err != nil || !held {
		s.recovery.forget(shard)
		return err
	}
	return s.pass(ctx, shard, false)
}

// passLimit bounds one pass; a job that takes longer goes on from its checkpoint at the
// next one. With what is saved after it, and the pause, a pass is below the time of the
// lease.
const (
	passLimit = job.LeaseTime / 2
	saveLimit = job.LeaseTime / 10
)

// Recover finishes, once, all that was left undone longer ago than a command takes,
// whoever else does so. What can't be finished yet stays in the journal.
func (s *Store) Recover(ctx context.Context) error {
	if err := s.clocks.Right(ctx); err != nil {
		return err
	}
	passes := make([]func() error, journalShards)
	for shard := range journalShards {
		passes[shard] = func() error { return s.pass(ctx, shard, true) }
	}
	return cql.Convert(ctx, cql.Concurrently(passes...))
}

// pass looks at the entries that have become old enough, at those that are due again,
// and at all open ones if it is told to.
func (s *Store) pass(ctx context.Context, shard int, all bool) error {
	at, err := job.Load[journalPosition](ctx, s.db, shardName(shard))
	if err != nil {
		return err
	}
	before := at.Position
	next, err := s.advance(ctx, shard, before)
	if err != nil {
		return err
	}
	s.look(ctx, &next, all)
	s.recovery.note(shard, next)
	if !next.worthSaving(before) {
		return nil
	}
	// Where another server was faster its position counts: this one's entries are
	// found once more. A pass that was cut off has something to save as well.
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	_, err = at.Save(saving, next)
	return err
}

// saveEvery is how much of the journal may be read again after a server's death.
const saveEvery = time.Minute

func (p journalPosition) worthSaving(before journalPosition) bool {
	return !slices.Equal(p.Open, before.Open) || p.Passed.Sub(before.Passed).Abs() > saveEvery
}

// mend corrects a position that lies in the future, and reports whether it did: an earlier
// program put it there, on a server whose clock was ahead. What was written since nobody
// knows when is to be read then, so the position goes back to where the journal begins.
func (p *journalPosition) mend(now time.Time) bool {
	if !p.Passed.After(now) {
		return false
	}
	p.Passed = now.Add(-journalTTL)
	p.Reread = earlier(p.Reread, now.Add(-rereadAfter))
	for i := range p.Open {
		p.Open[i].Next = earlier(p.Open[i].Next, now)
	}
	return true
}

// advance reads the journal on, and returns the position with the undone entries found.
// Where there are more than can be kept it stops for now.
func (s *Store) advance(ctx context.Context, shard int, p journalPosition) (journalPosition, error) {
	p.Open = slices.Clone(p.Open)
	now := s.clocks.Now()
	names := s.journalNames(ctx)
	if ahead := p.Passed.Sub(now); p.mend(now) {
		s.log.Warn("recovery: the position in the journal was in the future, as a wrong clock put it; the journal is read from its beginning", "shard", shard, "ahead", ahead)
		var err error
		if p.Open, err = s.dated(ctx, shard, names, now, p.Open); err != nil {
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
		minutes, err := journalMinutes(names, shard, *part.from, part.to)
		if err != nil {
			return p, err
		}
		for _, minute := range minutes {
			if len(p.Open) >= maxOpen {
				return p, nil
			}
			from, to := later(*part.from, minute), earlier(minute.Add(time.Minute), part.to)
			found, err := s.newlyOpen(ctx, shard, minute, from, to, p.Open)
			if err != nil {
				return p, err
			}
			p.Open, *part.from = append(p.Open, found...), to
		}
		*part.from = part.to
	}
	return p, nil
}

// dated returns the open entries with those that stand in the future: the same clock dated
// them so, and by the time that they are due they will have expired.
func (s *Store) dated(ctx context.Context, shard int, names func() ([]journalPartition, error), now time.Time, open []openEntry) ([]openEntry, error) {
	minutes, err := journalMinutes(names, shard, now.Add(blog.ClockSkew), cql.EndOfTime)
	for _, minute := range minutes {
		if err != nil || len(open) >= maxOpen {
			break
		}
		var found []openEntry
		found, err = s.newlyOpen(ctx, shard, minute, minute, minute.Add(time.Minute), open)
		open = append(open, found...)
	}
	return open, err
}

// newlyOpen returns the undone entries of a stretch of one minute that are not known.
func (s *Store) newlyOpen(ctx context.Context, shard int, minute, from, to time.Time, known []openEntry) (found []openEntry, err error) {
	err = s.eachUndone(ctx, shard, []time.Time{minute}, from, to, func(entry blog.CommandID, _, _ string) error {
		if !slices.ContainsFunc(known, func(open openEntry) bool { return open.Entry == entry }) {
			found = append(found, openEntry{Entry: entry})
		}
		return nil
	})
	return found, err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// look finishes the open entries that are due, and keeps those that can't be finished.
// Those that were not looked at before, or not for long, come first: a job that goes on for
// many passes holds nobody up.
func (s *Store) look(ctx context.Context, p *journalPosition, all bool) {
	slices.SortStableFunc(p.Open, func(a, b openEntry) int { return a.Next.Compare(b.Next) })
	var running sync.WaitGroup
	places := make(chan struct{}, finishAtOnce)
	kept := make([]*openEntry, len(p.Open))
	for i, open := range p.Open {
		kept[i] = &open
		if !all && open.Next.After(s.clocks.Now()) || ctx.Err() != nil {
			continue
		}
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			_ = blog.SafelyTold(s.log, func() error { kept[i] = s.lookAt(ctx, open); return nil }) // else it stays open
		})
	}
	running.Wait()
	p.Open = p.Open[:0]
	for _, open := range kept {
		if open != nil {
			p.Open = append(p.Open, *open)
		}
	}
}

// lookAt finishes one entry. It returns nil when there is nothing left to do.
func (s *Store) lookAt(ctx context.Context, open openEntry) *openEntry {
	in, undone, err := s.undone(ctx, open.Entry)
	if err == nil && !undone {
		return nil
	}
	finished := false
	if err == nil {
		err = blog.Safely(func() (err error) {
			finished, err = s.finish(ctx, in, open.Looks)
			return err
		})
	}
	if err == nil && finished {
		err = s.done(ctx, open.Entry)
	}
	now := s.clocks.Now()
	switch {
	case errors.Is(err, cql.ErrHeld):
		open.Next = now.Add(heldAgain)
	case err != nil && ctx.Err() != nil:
		open.Next = now // cut off: goes on at the next pass
	case err != nil && (blog.KindOf(err) == blog.Unavailable || blog.KindOf(err) == blog.Timeout):
		s.log.Warn("recovery: a command can't be finished; trying again", "entry", open.Entry, "kind", in.Kind, "error", err)
		open.Next = now.Add(recoverEvery)
	case err != nil:
		s.log.Error("recovery: a command can't be finished", "entry", open.Entry, "kind", in.Kind, "error", err)
		fallthrough
	case !finished:
		open.Next = now.Add(nextLook(open.Looks))
		open.Looks++
	default:
		s.recovery.count()
		return nil
	}
	return &open
}

func (r *recovery) note(shard int, at journalPosition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[shard], r.passed[shard] = at.Open, at.Passed
}

func (r *recovery) forget(shard int) { r.note(shard, journalPosition{}) }

func (r *recovery) count() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recovered++
}

func (r *recovery) report(u *blog.Upkeep, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u.Recovered = r.recovered
	for _, passed := range r.passed {
		if lag := now.Sub(passed); !passed.IsZero() && lag.Abs() > u.RecoveryLag.Abs() {
			u.RecoveryLag = lag
		}
	}
	for _, shard := range r.open {
		u.Undone += len(shard)
		for _, open := range shard {
			age := now.Sub(open.Entry.Time())
			u.OldestUndone = max(u.OldestUndone, age)
			if age > expiringAfter {
				u.Expiring++
			}
		}
	}
}
