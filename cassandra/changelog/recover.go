package changelog

import (
	"context"
	"sort"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

const (
	// settledAfter is after which time nothing of a command is on its way to a log any more, but for what its log is
	// left for: it waits for tellWithin at most, is written for patience, and a process that is paused meanwhile
	// renews the log no more. Others rely on that, whose clocks differ.
	settledAfter = tellWithin + stuckAfter + blog.ClockSkew

	// aside is how far the times of a command, of its change and of its log may be apart beside that.
	aside = time.Minute
)

// Recover tells the log of this process of a change that another one may have told of, or may
// have died before it did: server is the one that carried the command out, zero where none did
// that tells logs. However often it is called for a command, by whichever processes, and wherever
// those die, the feed has the change once.
//
//	server's logs ── have it? ── yes ─▶ told
//	      no, and never will
//	      ▼
//	claim: (log of the one that tells, id) ── another's? ── its log has it? ── yes ─▶ told
//	      ▼                                        no, and never will: replaced
//	told to that log, or to none
//
// [cql.ErrHeld]: what another process has told is not known yet.
func (w *Writer) Recover(ctx context.Context, c blog.Change, command blog.CommandID, server blog.UUID) error {
	told, err := w.hasTold(ctx, server, command)
	if err != nil || told {
		return err
	}
	e := Entry{Change: c, Command: command, Begun: time.Now()}
	if e.only, told, err = w.claim(ctx, command); err != nil || told {
		return err
	}
	return w.Append(ctx, e)
}

// hasTold reports whether a process has told of a command that it began, in one of its logs.
func (w *Writer) hasTold(ctx context.Context, server blog.UUID, command blog.CommandID) (told bool, err error) {
	if server.IsZero() {
		return false, nil
	}
	now, began := w.Cluster.Now(), command.Time()
	// A time in the future is a wrong clock's, by which nothing can be waited for, or looked for.
	wrong := began.After(now.Add(blog.ClockSkew))
	if !wrong && now.Before(began.Add(settledAfter)) {
		return false, cql.ErrHeld
	}
	logs, err := w.directory(ctx)
	for _, log := range logs {
		if err != nil || told {
			break
		}
		if log.server == server && (wrong || !log.Seen.Before(began.Add(-aside))) {
			told, err = w.has(ctx, log, command, began, wrong)
		}
	}
	return told, err
}

// claim makes the log of this process the one that is told of a command, unless another that was
// before has it, or may get it still.
func (w *Writer) claim(ctx context.Context, command blog.CommandID) (log blog.LogID, told bool, err error) {
	holding, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if log, _, err = w.hold(holding); err != nil {
		return log, false, err
	}
	own, kept := w.IDs.Command().UUID, seconds(w.stored())
	err = cql.Insist(ctx, func(ctx context.Context) error {
		applied, _, err := w.DB.CompareAndSet(ctx, insertClaim.With(cql.ID(command.UUID), cql.ID(log.UUID), cql.ID(own), kept))
		if err != nil || applied {
			return err
		}
		var before listedLog
		var claim blog.UUID
		err = w.DB.OneSerial(ctx, selectClaim.With(cql.ID(command.UUID)), cql.Into(&before.ID.UUID), cql.Into(&claim))
		switch {
		case err == cql.ErrAbsent: // it has expired just now
			return cql.ErrRefused
		case err != nil || claim == own:
			return err
		}
		if before, err = w.listedLog(ctx, before.ID); err != nil {
			return err
		}
		if told, err = w.has(ctx, before, command, claim.Time(), false); err != nil || told {
			return err
		}
		applied, _, err = w.DB.CompareAndSet(ctx, replaceClaim.With(kept, cql.ID(log.UUID), cql.ID(own), cql.ID(command.UUID), cql.ID(claim)))
		if err == nil && !applied {
			err = cql.ErrRefused
		}
		return err
	})
	return log, told, err
}

// has reports whether a log has a command that its process began to tell of at a time by its own
// clock, or will have: where that could be, it ends the log if it is its process' own no more.
func (w *Writer) has(ctx context.Context, log listedLog, command blog.CommandID, began time.Time, wrong bool) (bool, error) {
	// A log that its process held after that time has whatever it was told: one with a batch that
	// failed is not renewed any more.
	if !log.Ended && !log.Seen.IsZero() && (wrong || !log.Seen.After(began.Add(settledAfter))) {
		if !w.over(log.ChangeLog) && !wrong {
			return false, cql.ErrHeld
		}
		var err error
		if log.ChangeLog, err = w.seal(ctx, log); err != nil {
			return false, err
		}
	}
	last, err := w.LatestChange(ctx, log.ChangeLog)
	if err != nil || last == 0 {
		return false, err
	}
	if wrong {
		return w.search(ctx, log.ID, last, command, time.Time{}, cql.EndOfTime)
	}
	return w.search(ctx, log.ID, last, command, began.Add(-aside), began.Add(settledAfter+aside))
}

// search looks for a command in the slices of a log that have changes of some time. The times of
// the changes of a log rise, about.
func (w *Writer) search(ctx context.Context, log blog.LogID, last int64, command blog.CommandID, from, to time.Time) (found bool, err error) {
	begins := func(slice int64) (at time.Time) {
		if err == nil {
			err = cql.AbsentIsZero(w.DB.One(ctx, selectFirstTime.With(cql.ID(log.UUID), slice), &at))
		}
		return at
	}
	slices := sliceOf(last) + 1
	first := max(int64(sort.Search(int(slices), func(slice int) bool { return begins(int64(slice)).After(from) }))-1, 0)
	for slice := first; slice < slices && err == nil && !found; slice++ {
		if slice > first && begins(slice).After(to) {
			break
		}
		err = w.DB.Scan(ctx, selectCommands.With(cql.ID(log.UUID), slice), func(row gocql.Scanner) error {
			var number int64
			var of blog.CommandID
			err := row.Scan(&number, cql.Into(&of.UUID))
			found = found || of == command && number <= last
			return err
		})
	}
	return found, err
}
