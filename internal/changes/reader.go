package changes

import (
	"context"
	"maps"
	"slices"
	"time"

	"broadsheet/blog"
)

// Event is a change with the cursor after it.
type Event struct {
	blog.Change
	Cursor Cursor
}

// Reader reads the feed from a cursor on. It is used by one goroutine.
type Reader struct {
	feed   blog.Changes
	at     Cursor
	passed map[blog.LogID]bool // logs of at that have ended, and were read to their end
}

// Follow returns a reader of what comes after a cursor.
func Follow(feed blog.Changes, after Cursor) *Reader {
	return &Reader{feed: feed, at: after.clone(), passed: map[blog.LogID]bool{}}
}

// Now returns the cursor after all that was appended before the call.
func Now(ctx context.Context, feed blog.Changes, clock blog.Clock) (Cursor, error) {
	c := Cursor{At: blog.Millisecond(clock.Now()), passed: map[blog.LogID]int64{}}
	logs, err := feed.ChangeLogs(ctx)
	if err != nil {
		return c, err
	}
	for _, log := range logs {
		if c.Passes(log.Seen) {
			continue
		}
		if c.passed[log.ID], err = feed.LatestChange(ctx, log); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Cursor returns how far the reader has come.
func (r *Reader) Cursor() Cursor { return r.at.clone() }

// Next returns changes that follow, of each log at most limit. [blog.Expired]: what follows is kept no more.
func (r *Reader) Next(ctx context.Context, limit int) ([]Event, error) {
	batch, err := r.Read(ctx, limit)
	if err != nil {
		return nil, err
	}
	return r.Pass(batch), nil
}

// Batch is what was read of the feed at one time, from where a reader stood.
type Batch struct {
	Changes []blog.Change // merged by their times; within each log in its order
	logs    []blog.ChangeLog
	read    []blog.LogID
}

// Open returns how many logs were read that may get changes yet.
func (b Batch) Open() (n int) {
	for _, log := range b.logs {
		if !log.Ended && slices.Contains(b.read, log.ID) {
			n++
		}
	}
	return n
}

// Unnamed returns when the last of the logs that a cursor does not name was seen; zero: it names all.
func (b Batch) Unnamed(c Cursor) (seen time.Time) {
	for _, log := range b.logs {
		if _, named := c.passed[log.ID]; !named && log.Seen.After(seen) {
			seen = log.Seen
		}
	}
	return seen
}

// Read reads what follows, as Next does, and does not move the reader.
func (r *Reader) Read(ctx context.Context, limit int) (Batch, error) {
	logs, err := r.feed.ChangeLogs(ctx)
	if err != nil {
		return Batch{}, err
	}
	if err := r.knows(logs); err != nil {
		return Batch{}, err
	}
	batch := Batch{logs: logs}
	var found [][]blog.Change
	for _, log := range logs {
		if _, named := r.at.passed[log.ID]; !named && r.at.Passes(log.Seen) {
			continue
		}
		part, err := r.read(ctx, log, limit)
		if err != nil {
			return Batch{}, err
		}
		batch.read = append(batch.read, log.ID)
		found = append(found, part)
	}
	batch.Changes = merged(found)
	return batch, nil
}

// Clone returns a reader that stands where this one does.
func (r *Reader) Clone() *Reader {
	return &Reader{feed: r.feed, at: r.Cursor(), passed: maps.Clone(r.passed)}
}

// Pass moves the reader behind what was read from where it stands, or stood before it passed other changes, and returns
// what of that is new to it. From now on cursors name all logs that were read: they are not mistaken for ones that
// were over before.
func (r *Reader) Pass(b Batch) (events []Event) {
	for _, log := range b.read {
		r.at.passed[log] += 0
	}
	for _, c := range b.Changes {
		if e, next := r.PassChange(c); next {
			events = append(events, e)
		}
	}
	r.leaveOut(b.logs)
	_ = r.knows(b.logs) // what is there no more, and was read to its end, is in no cursor to come
	return events
}

// PassChange moves the reader behind a change that was not read. It is false where that does not follow in its log.
func (r *Reader) PassChange(c blog.Change) (Event, bool) {
	if c.Number != r.at.passed[c.Log]+1 {
		return Event{}, false
	}
	r.at.passed[c.Log] = c.Number
	if c.At.After(r.at.At) {
		r.at.At = c.At
	}
	return Event{Change: c, Cursor: r.Cursor()}, true
}

// read reads what follows in a log.
func (r *Reader) read(ctx context.Context, log blog.ChangeLog, limit int) ([]blog.Change, error) {
	passed := r.at.passed[log.ID]
	if log.Ended && passed == log.Last {
		return nil, nil
	}
	part, err := r.feed.ChangesAfter(ctx, log, passed, limit)
	if err == nil && len(part) == 0 && log.Last > passed {
		err = blog.ErrChangesExpired()
	}
	return part, err
}

// leaveOut leaves logs that are long over out of the cursors to come.
func (r *Reader) leaveOut(logs []blog.ChangeLog) {
	for _, log := range logs {
		number, known := r.at.passed[log.ID]
		if !known || !log.Ended || number < log.Last {
			continue
		}
		r.passed[log.ID] = true
		if r.at.Passes(log.Seen) {
			r.forget(log.ID)
		}
	}
}

func (r *Reader) forget(log blog.LogID) {
	delete(r.at.passed, log)
	delete(r.passed, log)
}

// knows returns an error where a log of the cursor is gone, and with it changes that were not read.
func (r *Reader) knows(logs []blog.ChangeLog) error {
	for id := range r.at.passed {
		switch {
		case slices.ContainsFunc(logs, func(log blog.ChangeLog) bool { return log.ID == id }):
		case r.passed[id]:
			r.forget(id)
		default:
			return blog.ErrChangesExpired()
		}
	}
	return nil
}

// merged merges logs by the times of their changes. The order within each stays.
func merged(logs [][]blog.Change) (all []blog.Change) {
	for {
		next := -1
		for i, log := range logs {
			if len(log) > 0 && (next < 0 || log[0].At.Before(logs[next][0].At)) {
				next = i
			}
		}
		if next < 0 {
			return all
		}
		all, logs[next] = append(all, logs[next][0]), logs[next][1:]
	}
}

// Interval is how often a follower asks whether there is more.
const Interval = 500 * time.Millisecond
