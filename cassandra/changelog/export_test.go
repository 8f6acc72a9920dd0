package changelog

import (
	"time"

	"broadsheet/blog"
)

// What tests need to reach inside.

// The times by which a process keeps its log.
const (
	RenewedFor   = renewedFor
	SealAfter    = sealAfter
	TellWithin   = tellWithin
	StuckAfter   = stuckAfter
	SettledAfter = settledAfter
	SliceSize    = sliceSize
)

// Pause is as if the process had been paused for so long just now: all that it remembers is older.
func (w *Writer) Pause(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log.renewed = w.log.renewed.Add(-d)
	if !w.batch.IsZero() {
		w.batch = w.batch.Add(-d)
	}
}

// Renew renews the log now, as is done now and then, and reports whether it is held.
func (w *Writer) Renew() bool {
	w.mu.Lock()
	id := w.log.id
	w.mu.Unlock()
	return w.renew(id)
}

// Skip has the log go on behind a number, as if all before it had been appended.
func (w *Writer) Skip(number int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log.last = number
}

// Own returns the log that is written.
func (w *Writer) Own() blog.LogID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.id
}

// Die is the end of the process: nothing more is written.
func (w *Writer) Die() { w.stop() }
