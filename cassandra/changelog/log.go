package changelog

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/coalesce"
	"broadsheet/internal/pace"
)

const (
	// renewEvery is how often a process renews its log, renewedFor how long it may write to it
	// after that, and sealAfter when others may end it.
	renewEvery = 5 * time.Second
	renewedFor = 12 * time.Second
	sealAfter  = 40 * time.Second

	// A command that began longer ago than tellWithin is told by recovery, and a batch is
	// repeated for patience, then its log is given up.
	tellWithin = cql.CommandDeadline
	patience   = 5 * time.Second

	// mostAtOnce is how many changes share a batch.
	mostAtOnce = 64
)

// Config is what logs are made with.
type Config struct {
	DB      *cql.Session
	Rows    *cql.Batches // those of the journal, with which changes go
	Cluster Clock        // the cluster's time
	Server  blog.UUID    // names this process
	IDs     *blog.IDs
	Keep    time.Duration // of changes; 0: [blog.KeepChanges]
	Asked   time.Duration // how old a command may be for which recovery asks
	Log     *slog.Logger
}

// Clock is the cluster's time, as far as this process knows it.
type Clock interface {
	blog.Clock
	Right(context.Context) error // nil: it and this machine's clock are right
}

// Entry is a change of a command.
type Entry struct {
	blog.Change
	Command blog.CommandID
	Begun   time.Time // when this process began the command, before its id was drawn

	only blog.LogID // the log that it may be told to; zero: whichever is written
}

// late reports whether telling of the command is recovery's by now.
func (e Entry) late() bool { return pace.Elapsed(e.Begun) > tellWithin }

// Writer appends the changes of this process.
type Writer struct {
	Config
	ended     context.Context // with Stop
	stop      context.CancelFunc
	all       sync.WaitGroup // what runs in the background
	appends   coalesce.Next[*Entry, error]
	appending atomic.Int64 // calls of Append

	beginning sync.Mutex // held while a log is begun

	mu  sync.Mutex
	log struct { // that this process writes
		id      blog.LogID // zero: none is begun
		last    int64      // the newest number that a majority has
		renewed time.Time  // when the log was last renewed, before the write of that
		stamp   int64      // the write time of that
	}
	batch    time.Time                   // when the batch under way was begun; zero: none is
	counts   struct{ own, others int64 } // changes of this process' commands, and of those that it recovered
	watchers map[*func(blog.Change)]bool
}

// NewWriter returns a writer. [Writer.Stop] ends it.
func NewWriter(config Config) *Writer {
	w := &Writer{Config: config, watchers: map[*func(blog.Change)]bool{}}
	w.Keep = cmp.Or(config.Keep, blog.KeepChanges)
	w.ended, w.stop = context.WithCancel(context.Background())
	w.appends.Most, w.appends.Stall = coalesce.Size{Count: mostAtOnce}, coalesce.Never // a log's numbers have no holes
	w.appends.Many = func(_ context.Context, batch []*Entry) (map[*Entry]error, error) { return w.write(batch), nil }
	return w
}

// Append writes a change to the log, behind all that was appended before, and returns when a
// majority has it. An error leaves it open whether it is or will be written, so it may not be
// repeated, and is none that [cql.Insist] repeats; [Writer.Recover] finds out, later.
func (w *Writer) Append(ctx context.Context, e Entry) error {
	w.appending.Add(1)
	defer w.appending.Add(-1)
	untold, err := w.appends.Do(ctx, &e, func(context.Context) (error, error) { return w.write([]*Entry{&e})[&e], nil })
	if err != nil {
		return errUntold(err)
	}
	return untold
}

// errUntold is the error of a change that is not known to be written.
func errUntold(cause error) error {
	return &blog.Error{Kind: blog.Timeout, Message: "it is not known whether the change log was told of the command: recovery finds out", Err: cause}
}

// write writes a batch, and returns the errors of those changes that may not be written.
func (w *Writer) write(batch []*Entry) (untold map[*Entry]error) {
	w.all.Add(1)
	defer w.all.Done()
	w.beginBatch(time.Now())
	defer w.beginBatch(time.Time{})
	untold = map[*Entry]error{}
	err := blog.SafelyLogged(w.Log, func() error { return w.writeBatch(batch, untold) })
	if err == nil {
		return untold
	}
	w.leave()
	for _, e := range batch {
		untold[e] = cmp.Or(untold[e], errUntold(err))
	}
	return untold
}

func (w *Writer) beginBatch(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.batch = at
}

// writeBatch writes the changes of a batch that may be told still. The others have an error.
func (w *Writer) writeBatch(batch []*Entry, untold map[*Entry]error) error {
	ctx, cancel := context.WithTimeout(w.ended, patience)
	defer cancel()
	log, number, err := w.hold(ctx)
	if err != nil {
		return err
	}
	var told []*Entry
	var entries []cql.Bound
	for _, e := range batch {
		if e.late() || !e.only.IsZero() && e.only != log {
			untold[e] = errUntold(nil)
			continue
		}
		number++
		e.Log, e.Number, e.At = log, number, blog.Millisecond(w.Cluster.Now())
		told, entries = append(told, e), append(entries, w.bind(*e))
	}
	if len(told) == 0 {
		return nil
	}
	write := w.Rows.WriteLater
	err = cql.Insist(ctx, func(ctx context.Context) error {
		err := w.writeHeld(ctx, log, entries, write)
		write = w.DB.WriteParts // a partition that lacks its majority holds up no intent again
		return err
	})
	if err != nil {
		return err
	}
	w.tell(told)
	return nil
}

// writeHeld writes to a log as long as it is this process' own. What a majority has after that
// may have come behind the log's end.
func (w *Writer) writeHeld(
	ctx context.Context, log blog.LogID, entries []cql.Bound, write func(context.Context, []cql.Bound) error,
) error {
	if !w.holds(log) {
		return errNotHeld
	}
	err := write(ctx, entries)
	if err == nil && !w.holds(log) {
		return errNotHeld
	}
	return err
}

var errNotHeld = &blog.Error{Kind: blog.Internal, Message: "the change log could not be renewed in time, so it is left"}

func (w *Writer) bind(e Entry) cql.Bound {
	log, slice := cql.ID(e.Log.UUID), sliceOf(e.Number)
	return insertChange.With(log, slice, e.Number, e.At, string(e.Kind), cql.ID(e.Command.UUID), cql.ID(e.Actor.UUID),
		cql.ID(e.Post.UUID), cql.ID(e.Comment.UUID), e.Comments, cql.ID(e.User.UUID), cql.ID(e.Followed.UUID), cql.ID(e.Group.UUID), seconds(w.stored())).Of(2, log, slice, e.Number)
}

func seconds(d time.Duration) int { return int(d / time.Second) }

// Report tells how many changes were told.
func (w *Writer) Report(u *blog.Upkeep) {
	w.mu.Lock()
	defer w.mu.Unlock()
	u.Told, u.ToldForOthers = w.counts.own, w.counts.others
}

// tell tells watchers of changes that are written.
func (w *Writer) tell(batch []*Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range batch {
		if w.log.id == e.Log {
			w.log.last = e.Number
		}
		if e.only.IsZero() {
			w.counts.own++
		} else {
			w.counts.others++
		}
		for f := range w.watchers {
			(*f)(e.Change)
		}
	}
}

// Stop has what waits written, within ctx, and ends the log.
func (w *Writer) Stop(ctx context.Context) {
	defer w.all.Wait()
	defer w.stop()
	for w.busy() && pace.Wait(ctx, time.Millisecond) == nil {
	}
	w.mu.Lock()
	id, last := w.log.id, w.log.last
	w.mu.Unlock()
	if id.IsZero() || w.busy() || !w.holds(id) {
		return // who needs its end ends it
	}
	if _, err := w.end(ctx, id, last, w.listed()); err != nil {
		w.Log.Warn("the change log was not ended; who needs that ends it", "error", err)
	}
}

func (w *Writer) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.appending.Load() > 0 || !w.batch.IsZero()
}
