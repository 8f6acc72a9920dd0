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
	return &Reader{feed: feed, at: Cursor{At: after.At, passed: maps.Clone(after.passed)}, passed: map[blog.LogID]bool{}}
}

// Now returns the cursor after all that was appended before the call.
func Now(ctx context.Context, feed blog.Changes, clock blog.Clock) (Cursor, error) {
	c := Cursor{At: blog.Millisecond(clock.Now()), passed: map[blog.LogID]int64{}}
	logs, err := feed.ChangeLogs(ctx)
	if err != nil {
		return c, err
	}
	for _, log := range logs {
		if log.Seen.Before(c.At.Add(-over)) {
			continue
		}
		if c.passed[log.ID], err = feed.LatestChange(ctx, log); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Cursor returns how far the reader has come.
func (r *Reader) Cursor() Cursor { return Cursor{At: r.at.At, passed: maps.Clone(r.at.passed)} }

// Next returns changes that follow, of each log at most limit; none where there are no more
// yet. [blog.Expired]: what follows is kept no more.
func (r *Reader) Next(ctx context.Context, limit int) ([]Event, error) {
	logs, err := r.feed.ChangeLogs(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.knows(logs); err != nil {
		return nil, err
	}
	var found [][]blog.Change
	for _, log := range logs {
		if r.leaves(log) {
			continue
		}
		part, err := r.read(ctx, log, limit)
		if err != nil {
			return nil, err
		}
		found = append(found, part)
	}
	events := r.pass(merged(found))
	r.leaveOut(logs)
	return events, nil
}

// read reads what follows in a log. From now on cursors name the log, though nothing may follow
// yet: it is not mistaken for one that was over before them.
func (r *Reader) read(ctx context.Context, log blog.ChangeLog, limit int) ([]blog.Change, error) {
	if r.at.passed == nil {
		r.at.passed = map[blog.LogID]int64{}
	}
	passed := r.at.passed[log.ID]
	r.at.passed[log.ID] = passed
	if log.Ended && passed >= log.Last {
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
		if log.Seen.Before(r.at.At.Add(-over)) {
			r.forget(log.ID)
		}
	}
}

func (r *Reader) forget(log blog.LogID) {
	delete(r.at.passed, log)
	delete(r.passed, log)
}

// knows returns an error where a log of the cursor is not there any more, and with it changes
// that were not read.
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

// leaves reports whether all of a log lies before the reader, which has left it out of its
// cursors.
func (r *Reader) leaves(log blog.ChangeLog) bool {
	_, known := r.at.passed[log.ID]
	return !known && log.Seen.Before(r.at.At.Add(-over))
}

// pass moves the reader behind changes.
func (r *Reader) pass(changes []blog.Change) []Event {
	events := make([]Event, len(changes))
	for i, c := range changes {
		r.at.passed[c.Log] = c.Number
		if c.At.After(r.at.At) {
			r.at.At = c.At
		}
		events[i] = Event{Change: c, Cursor: r.Cursor()}
	}
	return events
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
