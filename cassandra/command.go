package cassandra

import (
	"context"
	"errors"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// command is a mutation under way, which run takes through the steps that the package's comment draws.
type command interface {
	// intent is what recovery needs to finish the command, or to clean up after it.
	intent() journal.Intent

	// apply writes the truth and returns when that is settled: nil where it stands. It keeps the intent (note.Keep)
	// before each attempt.
	apply(ctx context.Context, note *journal.Note) error

	// follow returns what follows from the truth as apply left it.
	follow() effects
}

// reading is a command that has something to read, beside the writing of its intent, which names nothing of that.
// Reads that are nil are none.
type reading interface {
	reads(ctx context.Context) []func() error
}

// run takes a command through its steps, and returns when all copies are written or left to the background. A refusal
// closes the intent; where the outcome is not known it stays, for recovery.
func (s *Store) run(ctx context.Context, ids attemptIDs, c command) error {
	note, v, err := s.apply(ctx, ids, c)
	if err == nil {
		s.complete(ctx, note, v)
	}
	return err
}

// again writes what follows from a truth before a command is answered that finds its change made: one of the truth's
// last commands, which made it, may not have ended. Recovery sees to the intent.
func (s *Store) again(ctx context.Context, by truth.History, follow func(journal.Intent) effects) error {
	left, err := s.journal.Left(ctx, by)
	for _, in := range left {
		s.complete(ctx, &journal.Note{Entry: in.Entry}, follow(in))
	}
	return err
}

// runWhole is run for a part of a job: nothing is left to the background, and what follows the reply may take longer
// than a command.
func (s *Store) runWhole(ctx context.Context, c command) error {
	own, end, err := s.startCommand(ctx)
	if err != nil {
		return err
	}
	defer end()
	note, v, err := s.apply(own, s.fresh(), c)
	if err != nil {
		return err
	}
	late := s.writeCopies(own, v) != nil
	if err = s.completeLater(ctx, note, v, late); err == cql.ErrHeld { // another does what is left, by its intent
		return nil
	}
	return err
}

// apply takes a command through its first two steps, and returns what follows.
func (s *Store) apply(ctx context.Context, ids attemptIDs, c command) (note *journal.Note, v effects, err error) {
	var reads []func() error
	if r, ok := c.(reading); ok {
		reads = r.reads(ctx)
	}
	if note, err = s.journal.Append(ctx, ids.entry, c.intent(), reads...); err != nil {
		return nil, v, err
	}
	if err := c.apply(ctx, note); err != nil {
		s.giveUp(ctx, ids, note, err)
		return nil, v, err
	}
	if !ids.again { // else an earlier run may have told the change log
		note.Begun = ids.begun
	}
	return note, c.follow(), nil
}

// giveUp abandons the intent of a command that was refused. It stays where the outcome is not known, for the intent
// may still be written again, and where another may run with the same ids.
func (s *Store) giveUp(ctx context.Context, ids attemptIDs, note *journal.Note, err error) {
	if refuses(err) && ids.key == nil && !errors.Is(err, cql.ErrUnsure) {
		s.journal.Abandon(ctx, note.Entry)
	}
}

// fresh returns the ids of a command without an idempotency key.
func (s *Store) fresh() attemptIDs {
	begun, command := time.Now(), s.journal.NewCommand()
	return attemptIDs{command: command, entry: command, begun: begun}
}

// startOn is startCommand, for a command that changes a post's partition, which admits it.
func (s *Store) startOn(ctx context.Context, of truth.Counted, parent blog.UUID, checks ...func() error) (
	own context.Context, end func(), err error,
) {
	own, stop, err := s.startCommand(ctx, checks...)
	if err != nil {
		return nil, nil, err
	}
	leave, err := of.Enter(parent)
	if err != nil {
		stop()
		return nil, nil, err
	}
	end = func() {
		leave()
		stop()
	}
	return own, end, nil
}

// startCommand starts a command whose input passes some checks; end ends it. Its context ends with the caller's
// deadline but not when the caller goes away, for a command that is half done must be finished. Unavailable: this
// server's clock is too far off for the ids and stamps that it would make.
func (s *Store) startCommand(ctx context.Context, checks ...func() error) (own context.Context, end func(), err error) {
	for _, check := range checks {
		if err := check(); err != nil {
			return nil, nil, err
		}
	}
	if err := s.clocks.Right(ctx); err != nil {
		return nil, nil, err
	}
	deadline := time.Now().Add(cql.CommandDeadline)
	if callers, ok := ctx.Deadline(); ok && callers.Before(deadline) {
		deadline = callers
	}
	own, end = context.WithDeadline(context.WithoutCancel(ctx), deadline)
	return own, end, nil
}
