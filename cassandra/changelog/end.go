package changelog

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// over reports whether a log that has no end is its process' own no more. Of the log that this
// process holds its own clock tells, however the cluster's time is set forward.
func (w *Writer) over(log blog.ChangeLog) bool {
	return !log.Ended && !log.Seen.IsZero() && w.Cluster.Now().Sub(log.Seen) >= sealAfter && !w.holds(log.ID)
}

// seal ends a log that its process does not write any more, at the newest change that a majority
// has after readers were told that the log is closing.
func (w *Writer) seal(ctx context.Context, log listedLog) (blog.ChangeLog, error) {
	if log.Ended || log.Seen.IsZero() {
		return log.ChangeLog, nil
	}
	err := cql.Insist(ctx, func(ctx context.Context) error {
		return w.DB.Write(ctx, closeLog.With(seconds(log.kept), cql.ID(log.ID.UUID)))
	})
	if err == nil {
		log.Last, err = w.LatestChange(ctx, log.ChangeLog)
	}
	if err == nil {
		log.Last, err = w.end(ctx, log.ID, log.Last, log.kept)
	}
	log.Ended = err == nil
	return log.ChangeLog, err
}

// end ends a log at a number, unless it was ended before, and returns where it ends. That stands
// as long as the log's row may.
func (w *Writer) end(ctx context.Context, id blog.LogID, last int64, kept time.Duration) (int64, error) {
	ttl := seconds(kept)
	err := cql.Insist(ctx, func(ctx context.Context) error {
		if _, _, err := w.DB.CompareAndSet(ctx, endLog.With(cql.ID(id.UUID), last, ttl)); err != nil {
			return err
		}
		if err := w.DB.OneSerial(ctx, selectEnd.With(cql.ID(id.UUID)), &last); err != nil {
			return err
		}
		return w.DB.Write(ctx, endedLog.With(ttl, last, cql.ID(id.UUID)))
	})
	return last, err
}
