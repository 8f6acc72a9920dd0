package changelog

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var _ blog.Changes = (*Writer)(nil)

// ChangeLogs is a method of [blog.Changes].
func (w *Writer) ChangeLogs(ctx context.Context) (logs []blog.ChangeLog, err error) {
	all, err := w.directory(ctx)
	for _, log := range all {
		logs = append(logs, log.ChangeLog)
	}
	return logs, err
}

// ChangesAfter is a method of [blog.Changes].
func (w *Writer) ChangesAfter(ctx context.Context, log blog.ChangeLog, number int64, limit int) (found []blog.Change, err error) {
	if w.over(log) {
		if log, err = w.endedLog(ctx, log); err != nil {
			return nil, err
		}
	}
	newer := min(max(number-log.Last, 0), 1) // 1: whether the log has come so far is read with what follows
	for from, most := number-newer, limit+int(newer); len(found) < most; {
		before := len(found)
		if err := w.readSlice(ctx, log, from+int64(before), most-before, &found); err != nil {
			return nil, err
		}
		if n := from + int64(len(found)); len(found) == before || n%sliceSize != 0 {
			break
		}
	}
	if newer > 0 && len(found) == 0 { // the data are those of a backup that was made before
		return nil, blog.ErrChangesExpired()
	}
	if found = found[min(int(newer), len(found)):]; len(found) == 0 {
		return nil, nil
	}
	if found[0].At.Before(w.Cluster.Now().Add(-w.Keep)) {
		return nil, blog.ErrChangesExpired()
	}
	return w.settled(ctx, log, found)
}

// endedLog returns a log of a process that is gone, with its end. [blog.Expired]: it was not ended
// as long as its changes were kept, so that what its last ones were is not known.
func (w *Writer) endedLog(ctx context.Context, log blog.ChangeLog) (blog.ChangeLog, error) {
	if w.Cluster.Now().Sub(log.Seen) > w.Keep {
		return log, blog.ErrChangesExpired()
	}
	listed, err := w.listedLog(ctx, log.ID)
	if err != nil {
		return log, err
	}
	return w.seal(ctx, listed)
}

// settled returns those of the changes that were read of a log which its end, if it is being
// ended, leaves in it.
//
//	reader   reads 6, which a majority has from now on ──▶ looks: not closing, so 6 stays
//	sealer                                                  closing ──▶ newest is 6 ──▶ ended at 6
//
// In the other order the reader sees that the log is closing, and waits for its end.
func (w *Writer) settled(ctx context.Context, log blog.ChangeLog, found []blog.Change) ([]blog.Change, error) {
	if log.Ended || w.tellsOf(found[len(found)-1]) {
		return found, nil
	}
	now, err := w.listedLog(ctx, log.ID)
	if err != nil {
		return nil, err
	}
	if now.closing && !now.Ended {
		if now.ChangeLog, err = w.seal(ctx, now); err != nil {
			return nil, err
		}
	}
	for now.Ended && len(found) > 0 && found[len(found)-1].Number > now.Last {
		found = found[:len(found)-1]
	}
	return found, nil
}

// tellsOf reports whether this process has told of a change, or of one that follows it in its log.
func (w *Writer) tellsOf(c blog.Change) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.id == c.Log && c.Number <= w.log.last
}

// lapsedAfter is after which time a change that can't be read though a later one can is not
// under way to this reader, but gone.
const lapsedAfter = 30 * time.Second

// readSlice appends what follows a number in its slice, up to a hole.
func (w *Writer) readSlice(ctx context.Context, log blog.ChangeLog, number int64, limit int, found *[]blog.Change) error {
	whole := true
	return w.DB.Each(ctx, selectAfter.With(cql.ID(log.ID.UUID), sliceOf(number+1), number, limit), limit, func(row gocql.Scanner) error {
		c := blog.Change{Log: log.ID}
		var kind string
		err := row.Scan(&c.Number, &c.At, &kind, cql.Into(&c.Actor.UUID), cql.Into(&c.Post.UUID), cql.Into(&c.Comment.UUID), &c.Comments,
			cql.Into(&c.User.UUID), cql.Into(&c.Followed.UUID), cql.Into(&c.Group.UUID))
		if err != nil || log.Ended && c.Number > log.Last {
			return err
		}
		number++
		if whole = whole && c.Number == number; whole {
			c.Kind, c.At = blog.ChangeKind(kind), c.At.UTC()
			*found = append(*found, c)
		} else if len(*found) == 0 && w.Cluster.Now().Sub(c.At) > lapsedAfter {
			return blog.ErrChangesExpired()
		}
		return nil
	})
}

// LatestChange is a method of [blog.Changes].
func (w *Writer) LatestChange(ctx context.Context, log blog.ChangeLog) (last int64, err error) {
	if log.Ended {
		return log.Last, nil
	}
	last = log.Last
	for slice := sliceOf(last + 1); ; slice++ {
		var newest int64
		err := cql.AbsentIsZero(w.DB.One(ctx, selectNewest.With(cql.ID(log.ID.UUID), slice), &newest))
		last = max(last, newest)
		if err != nil || newest != (slice+1)*sliceSize {
			return last, err
		}
	}
}

// WatchChanges is a method of [blog.Changes].
func (w *Writer) WatchChanges(f func(blog.Change)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	watcher := &f
	w.watchers[watcher] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.watchers, watcher)
	}
}
