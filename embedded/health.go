package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// health is the state of the database, as Pebble reports it to its logger and event listener.
//
//   - ill: a flush or compaction failed, as on a full disk. Pebble tries again by
//     itself. Meanwhile commands are refused, for what they write could not leave
//     memory; queries are answered.
//   - dead: another file could not be written, such as the log or the list of files, so
//     what is on disk may be behind what is in memory. Nothing is answered until a restart,
//     which reads the disk again.
type health struct {
	log *slog.Logger

	opened atomic.Bool // until then whatever can't be written makes it dead

	mu      sync.Mutex
	illness error
	death   error         // written once, before dead is closed
	dead    chan struct{} // closed with death
}

var _ pebble.Logger = (*health)(nil)

func newHealth(log *slog.Logger) *health { return &health{log: log, dead: make(chan struct{})} }

// cause returns why nothing can be answered, nil while it can.
func (h *health) cause() error {
	select {
	case <-h.dead:
		return h.death
	default:
		return nil
	}
}

// refusal returns why commands are refused while queries are answered, nil where they are not.
func (h *health) refusal() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.illness
}

// wrote notes how writing in the background ended. Pebble tries what failed again without a pause: only a
// change is logged.
func (h *health) wrote(err error) {
	h.mu.Lock()
	before := h.illness
	h.illness = err
	h.mu.Unlock()
	switch {
	case before == nil && err != nil:
		h.log.Error("embedded store: writing in the background failed; commands are refused until it succeeds", "error", err)
	case before != nil && err == nil:
		h.log.Info("embedded store: writing in the background works again")
	}
}

// die records the first fatal error and returns what stands recorded.
func (h *health) die(err error) error {
	return h.end(fmt.Errorf("writing to the disk failed and the store stopped; restart the server, which finds all that was acknowledged: %w", err))
}

func (h *health) end(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.death == nil {
		h.death = err
		close(h.dead)
		h.log.Error("embedded store: stopped", "error", err)
	}
	return h.death
}

func (h *health) Infof(format string, args ...any) {
	h.log.Debug(fmt.Sprintf(format, args...), "from", "pebble")
}

func (h *health) Errorf(format string, args ...any) {
	h.log.Error(fmt.Sprintf(format, args...), "from", "pebble")
}

// Fatalf ends the process, as Pebble expects. What the disk does [stoppingFS] keeps from it: it is called
// where Pebble finds its own memory wrong.
func (h *health) Fatalf(format string, args ...any) {
	h.Errorf(format, args...)
	os.Exit(1)
}

// aside runs what writes in a goroutine, which does not come back where the store dies, and waits for it as long as
// the store and the context live. A panic is an error.
func (h *health) aside(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- blog.Safely(do) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-h.dead:
		return h.death
	}
}

// events returns the listener for what Pebble reports.
func (h *health) events() *pebble.EventListener {
	ended := func(err error) {
		if err == nil { // else it is reported as a failure in the background, unless there was nothing to write
			h.wrote(nil)
		}
	}
	return &pebble.EventListener{
		BackgroundError: h.wrote,
		FlushEnd:        func(info pebble.FlushInfo) { ended(info.Err) },
		CompactionEnd:   func(info pebble.CompactionInfo) { ended(info.Err) },
		// The reader that found the damage returns the error; the others go on.
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			h.log.Error("embedded store: a file is damaged; stop the server and restore the directory from a backup", "path", info.Path, "error", info.Details)
		},
	}
}
