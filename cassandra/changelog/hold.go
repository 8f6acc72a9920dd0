package changelog

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/pace"
)

// hold returns the log that may be written, with its newest number. It begins one where none was renewed in time.
func (w *Writer) hold(ctx context.Context) (log blog.LogID, last int64, err error) {
	w.beginning.Lock()
	defer w.beginning.Unlock()
	w.mu.Lock()
	log, last = w.log.id, w.log.last
	held := w.heldNow(log)
	w.mu.Unlock()
	if held {
		return log, last, nil
	}
	log, err = w.begin(ctx)
	return log, 0, err
}

// holds reports whether a log is the one that may be written: it was renewed lately.
func (w *Writer) holds(log blog.LogID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.heldNow(log)
}

// heldNow is holds, where the writer is locked.
func (w *Writer) heldNow(log blog.LogID) bool {
	return !log.IsZero() && w.log.id == log && pace.Elapsed(w.log.renewed) < renewedFor
}

// leave has the next batch begin another log.
func (w *Writer) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log.id = blog.LogID{}
}

// begin begins a log, and has it renewed as long as it is this process' own.
func (w *Writer) begin(ctx context.Context) (id blog.LogID, err error) {
	w.leave()
	id = blog.LogID{UUID: w.IDs.Command().UUID}
	renewed := time.Now()
	err = cql.Insist(ctx, func(ctx context.Context) error {
		if err := w.Cluster.Right(ctx); err != nil {
			return err
		}
		return w.see(ctx, id, w.Cluster.Now(), 0)
	})
	if err != nil {
		return id, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log.id, w.log.last, w.log.renewed = id, 0, renewed
	w.all.Go(func() { w.keepRenewing(id) })
	return id, nil
}

// see writes when a log was held.
func (w *Writer) see(ctx context.Context, id blog.LogID, seen time.Time, last int64) error {
	w.mu.Lock()
	w.log.stamp = max(w.log.stamp+1, seen.UnixMicro()) // so that no clock that is set back hides it
	stamp := w.log.stamp
	w.mu.Unlock()
	kept := seconds(w.listed())
	return w.DB.Write(ctx, renewLog.With(cql.ID(id.UUID), cql.ID(w.Server), seen, last, kept, kept, stamp))
}

// keepRenewing renews a log until it is left.
func (w *Writer) keepRenewing(id blog.LogID) {
	for pace.Wait(w.ended, renewEvery) == nil && w.renew(id) {
	}
}

// renew writes that a log is held, and reports whether it still is. A process that could not renew its log in
// time, or was paused, does not know whether it was ended meanwhile, so it leaves it.
func (w *Writer) renew(id blog.LogID) (held bool) {
	began := time.Now()
	err := blog.SafelyLogged(w.Log, func() error { return w.vouch(w.ended, id) })
	w.mu.Lock()
	defer w.mu.Unlock()
	held = w.heldNow(id)
	switch {
	case !held && w.log.id == id:
		w.log.id = blog.LogID{}
	case held && err == nil:
		w.log.renewed = began
	}
	return held
}

// vouch writes that a log is held still. The time that it tells is from before it looks whether
// that is so. Where the cluster's time can't be told, the log is not renewed.
func (w *Writer) vouch(ctx context.Context, id blog.LogID) error {
	if err := w.Cluster.Right(ctx); err != nil {
		return err
	}
	seen := w.Cluster.Now()
	w.mu.Lock()
	held, last := w.heldNow(id) && !w.stuck(), w.log.last
	w.mu.Unlock()
	if !held {
		return errNotHeld
	}
	return w.see(ctx, id, seen, last)
}

// stuckAfter is after which time a batch that is under way should have failed. In a process that
// was paused one may not have, yet: the log is not vouched for then.
const stuckAfter = patience + time.Second

func (w *Writer) stuck() bool { return !w.batch.IsZero() && pace.Elapsed(w.batch) > stuckAfter }
