package journal

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
)

// Note is an intent that was written to the journal.
type Note struct {
	Intent
	Entry blog.CommandID // its row
	Begun time.Time      // when the command began; zero: an earlier run of it may have told the change log, as recovery finds out

	journal *Journal
	since   time.Time
}

// Keep writes the intent once more, as a row of now, where much of the command's
// deadline has gone by since: recovery may be about to close the first row. It is called
// before each attempt at the truth. A machine that was suspended is told by the wall
// clock, one whose clock was set by the monotonic one.
func (n *Note) Keep(ctx context.Context) error {
	if !n.old() {
		return nil
	}
	return n.Again(ctx)
}

// old reports whether the intent's row is so old that it has to be written once more.
func (n *Note) old() bool {
	waited := max(time.Since(n.since), time.Now().Round(0).Sub(n.since.Round(0)), n.journal.clock.Now().Sub(n.Entry.Time()))
	return waited > cql.CommandDeadline/2
}

// Before returns what a change does before each attempt: it keeps the intent, and proceeds,
// where that is not nil.
func (n *Note) Before(proceed func(ctx context.Context, now counted.Header) error) func(counted.Header) func(context.Context) error {
	return func(now counted.Header) func(context.Context) error {
		if proceed == nil && !n.old() {
			return nil
		}
		return func(ctx context.Context) error {
			err := n.Keep(ctx)
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

// KeepNumber writes the number of a comment into the intent of the command that made it, where that has not
// ended: the comment's row, which told it, is about to go.
func (j *Journal) KeepNumber(ctx context.Context, command blog.CommandID, number int) error {
	in, undone, err := j.undone(ctx, command)
	if err != nil || !undone || in.Kind != CreateComment {
		return err
	}
	in.Number = number
	return j.record(ctx, command, in)
}
