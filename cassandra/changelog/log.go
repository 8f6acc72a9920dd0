package changelog

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
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
	Cluster blog.Clock                  // the cluster's time
	Right   func(context.Context) error // whether this machine's clock and the cluster's time are right
	Server  blog.UUID                   // names this process
	NewID   func() blog.UUID            // returns an id of now
	Keep    time.Duration               // of changes; 0: [blog.KeepChanges]
	Asked   time.Duration               // how old a command may be for which recovery asks
	Log     *slog.Logger
}

// Entry is a change of a command.
type Entry struct {
	blog.Change
	Command blog.CommandID
	Begun   time.Time // when this process began the command, before its id was drawn

	only blog.LogID // the log that it may be told to; zero: whichever is written
}

// late reports whether telling of the command is recovery's by now.
func (e Entry) late() bool { return elapsed(e.Begun) > tellWithin }

// elapsed returns how long ago something was, by the monotonic clock, and by the other one too,
// which tells of a machine that was suspended.
func elapsed(since time.Time) time.Duration {
	return max(time.Since(since), time.Now().Round(0).Sub(since.Round(0)))
}

// Writer appends the changes of this process.
type Writer struct {
	Config
	ended context.Context // with Stop
	stop  context.CancelFunc
	all   sync.WaitGroup // what runs in the background

	beginning sync.Mutex // held while a log is begun

	mu       sync.Mutex
	id       blog.LogID // of the log; zero: none is begun
	told     int64      // the newest number that a majority has
	renewed  time.Time  // when the log was last renewed, before the write of that
	stamp    int64      // the write time of that
	batch    time.Time  // when the batch under way was begun; zero: none is
	waiting  []*pending
	writing  bool
	own      int64 // changes of this process' commands that were told
	others   int64 // those of commands that it recovered
	watchers map[*func(blog.Change)]bool
}

// pending is a change that waits to be written.
type pending struct {
	Entry
	done chan struct{} // closed when it is written, or never will be; then err is set
	err  error
}

// NewWriter returns a writer. [Writer.Stop] ends it.
func NewWriter(config Config) *Writer {
	if config.Keep == 0 {
		config.Keep = blog.KeepChanges
	}
	w := &Writer{Config: config, watchers: map[*func(blog.Change)]bool{}}
	w.ended, w.stop = context.WithCancel(context.Background())
	return w
}

// Append writes a change to the log, behind all that was appended before, and returns when a
// majority has it. An error leaves it open whether it is or will be written, so it may not be
// repeated, and is none that [cql.Insist] repeats; [Writer.Recover] finds out, later.
func (w *Writer) Append(ctx context.Context, e Entry) error {
	p := &pending{Entry: e, done: make(chan struct{})}
	w.mu.Lock()
	w.waiting = append(w.waiting, p)
	if !w.writing {
		w.writing = true
		w.all.Go(w.write)
	}
	w.mu.Unlock()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return errUntold(ctx.Err())
	}
}

// errUntold is the error of a change that is not known to be written.
func errUntold(cause error) error {
	return &blog.Error{Kind: blog.Timeout, Message: "it is not known whether the change log was told of the command: recovery finds out", Err: cause}
}

// write writes what waits, one batch after the other, until nothing does.
func (w *Writer) write() {
	for batch := w.take(); batch != nil; batch = w.take() {
		err := blog.SafelyLogged(w.Log, func() error { return w.writeBatch(batch) })
		if err != nil {
			w.leave()
		}
		for _, p := range batch {
			if err != nil && p.err == nil {
				p.err = errUntold(err)
			}
			close(p.done)
		}
	}
}

// take returns what shares the next batch; nil: nothing waits, and write ends.
func (w *Writer) take() []*pending {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.waiting), mostAtOnce)
	if n == 0 {
		w.writing, w.batch = false, time.Time{}
		return nil
	}
	w.batch = time.Now()
	batch := w.waiting[:n:n]
	w.waiting = w.waiting[n:]
	return batch
}

// writeBatch writes the changes of a batch that may be told still. The others have an error.
func (w *Writer) writeBatch(batch []*pending) error {
	ctx, cancel := context.WithTimeout(w.ended, patience)
	defer cancel()
	log, number, err := w.hold(ctx)
	if err != nil {
		return err
	}
	batch = slices.DeleteFunc(slices.Clone(batch), func(p *pending) bool {
		if p.late() || !p.only.IsZero() && p.only != log {
			p.err = errUntold(nil)
		}
		return p.err != nil
	})
	if len(batch) == 0 {
		return nil
	}
	entries := make([]cql.Bound, len(batch))
	for i, p := range batch {
		number++
		p.Log, p.Number, p.At = log, number, blog.Millisecond(w.Cluster.Now())
		entries[i] = w.bind(p.Entry)
	}
	if err := cql.Insist(ctx, func(ctx context.Context) error { return w.writeHeld(ctx, log, entries) }); err != nil {
		return err
	}
	w.tell(batch)
	return nil
}

// writeHeld writes to a log as long as it is this process' own. What a majority has after that
// may have come behind the log's end.
func (w *Writer) writeHeld(ctx context.Context, log blog.LogID, entries []cql.Bound) error {
	if !w.holds(log) {
		return errNotHeld
	}
	if err := w.DB.WriteParts(ctx, entries); err != nil {
		return err
	}
	if !w.holds(log) {
		return errNotHeld
	}
	return nil
}

var errNotHeld = &blog.Error{Kind: blog.Internal, Message: "the change log could not be renewed in time, so it is left"}

func (w *Writer) bind(e Entry) cql.Bound {
	log, slice := cql.ID(e.Log.UUID), sliceOf(e.Number)
	return insertChange.With(log, slice, e.Number, e.At, string(e.Kind), cql.ID(e.Command.UUID), cql.ID(e.Actor.UUID),
		cql.ID(e.Post.UUID), cql.ID(e.Comment.UUID), e.Comments, cql.ID(e.User.UUID), seconds(w.stored())).Of(2, log, slice, e.Number)
}

func seconds(d time.Duration) int { return int(d / time.Second) }

// Report tells how many changes were told.
func (w *Writer) Report(u *blog.Upkeep) {
	w.mu.Lock()
	defer w.mu.Unlock()
	u.Told, u.ToldForOthers = w.own, w.others
}

// tell tells watchers of changes that are written.
func (w *Writer) tell(batch []*pending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range batch {
		if w.id == p.Log {
			w.told = p.Number
		}
		if p.only.IsZero() {
			w.own++
		} else {
			w.others++
		}
		for f := range w.watchers {
			(*f)(p.Change)
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
	id, last := w.id, w.told
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
	return w.writing
}
