package journal

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/truth"
	"broadsheet/internal/pace"
)

// Note is an intent that was written to the journal.
type Note struct {
	Intent
	Entry blog.CommandID // its row
	Begun time.Time      // when the command began; zero: an earlier run of it may have told the change log, as recovery finds out

	journal *Journal
	since   time.Time
}

// Keep writes the intent once more, as a row of now, where much of the command's deadline has gone by since: recovery
// may be about to close the first row. It is called before each attempt at the truth. A machine that was suspended is
// told by the wall clock, one whose clock was set by the monotonic one.
func (n *Note) Keep(ctx context.Context) error {
	if !n.old() {
		return nil
	}
	return n.Again(ctx)
}

// old reports whether the intent's row is so old that it has to be written once more.
func (n *Note) old() bool {
	waited := max(pace.Elapsed(n.since), n.journal.clock.Now().Sub(n.Entry.Time()))
	return waited > cql.CommandDeadline/2
}

// Before returns what a change does before each attempt: it keeps the intent, and the mark that a truth with the
// history by then forgets, and proceeds; by, and proceed, may be nil.
func (n *Note) Before(by *truth.History, proceed func(ctx context.Context, now counted.Header) error) func(counted.Header) func(context.Context) error {
	return func(now counted.Header) func(context.Context) error {
		var history truth.History
		if by != nil {
			history = *by
		}
		if proceed == nil && !n.old() && history.Forgets().IsZero() {
			return nil
		}
		return func(ctx context.Context) error {
			err := n.KeepBoth(ctx, history)
			if err == nil && proceed != nil {
				err = proceed(ctx, now)
			}
			return err
		}
	}
}

// Again writes the intent once more. The row before names the new one, and is left to recovery, which closes it.
func (n *Note) Again(ctx context.Context) error {
	former := n.Entry
	n.Entry, n.since = n.journal.NewCommand(), time.Now()
	if err := n.journal.record(ctx, n.Entry, n.Intent); err != nil {
		return err
	}
	in := n.Intent
	in.Next = n.Entry
	return n.journal.record(ctx, former, in)
}

// KeepMarks writes into the intents of a truth's last commands that they were applied, where those have not ended, and
// the number of the comment that one made: the truth's row, by which recovery knows it, is about to go.
func (j *Journal) KeepMarks(ctx context.Context, by truth.History, number int) error {
	left, err := j.Left(ctx, by)
	for _, in := range left {
		if err == nil {
			err = j.keepMark(ctx, in, number)
		}
	}
	return err
}

// KeepMark writes into the intent of the command that a truth with this history forgets by its next edit that it was
// applied, and returns it. Where that command has ended, as nearly always, it returns none.
func (j *Journal) KeepMark(ctx context.Context, by truth.History) (Intent, error) {
	in, done, err := j.Last(ctx, by.Forgets())
	if err != nil || done || in.Kind == "" {
		return Intent{}, err
	}
	return in, j.keepMark(ctx, in, 0)
}

// KeepBoth keeps the intent, and the mark that a truth with this history forgets by its next edit.
func (n *Note) KeepBoth(ctx context.Context, by truth.History) error {
	if _, err := n.journal.KeepMark(ctx, by); err != nil {
		return err
	}
	return n.Keep(ctx)
}

func (j *Journal) keepMark(ctx context.Context, in Intent, number int) error {
	if in.Applied = true; in.Kind == CreateComment {
		in.Number = number
	}
	return j.record(ctx, in.Entry, in)
}
