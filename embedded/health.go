package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
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
//   - dead: the log or the list of files could not be written, so what is on disk
//     may be behind what is in memory. Nothing is answered until a restart, which
//     reads the disk again.
type health struct {
	log *slog.Logger

	guarding atomic.Bool // see stoppingFS

	unflushed chan error // has the first flush that failed, for the goroutine that opens the store

	mu      sync.Mutex
	illness error
	flush   error         // that failed last, or was empty
	death   error         // written once, before dead is closed
	dead    chan struct{} // closed with death
}

var _ pebble.Logger = (*health)(nil)

func newHealth(log *slog.Logger) *health {
	return &health{log: log, unflushed: make(chan error, 1), dead: make(chan struct{})}
}

// cause returns why nothing can be answered, nil while it can.
func (h *health) cause() error {
	select {
	case <-h.dead:
		return h.death
	default:
		return nil
	}
}

// unavailable is cause as the error of a call.
func (h *health) unavailable() error {
	if err := h.cause(); err != nil {
		return logged(unavailable(err))
	}
	return nil
}

// refusal returns why no command can be carried out, nil while it can.
func (h *health) refusal() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.death != nil {
		return h.death
	}
	return h.illness
}

func (h *health) fail(err error) {
	h.mu.Lock()
	changed, flush := h.illness == nil, errors.Is(h.flush, err)
	h.illness = err
	h.mu.Unlock()
	if flush {
		select {
		case h.unflushed <- err:
		default: // one was sent before
		}
	}
	if changed { // Pebble tries again without a pause
		h.log.Error("embedded store: writing in the background failed; commands are refused until it succeeds", "error", err)
	}
}

// flushed is called when a flush ended. Pebble reports one that had nothing to write as one
// that failed, and one that failed a second time as a failure in the background.
func (h *health) flushed(err error) {
	h.mu.Lock()
	h.flush = err
	h.mu.Unlock()
	if err == nil {
		h.recovered()
	}
}

func (h *health) recovered() {
	h.mu.Lock()
	changed := h.illness != nil
	h.illness = nil
	h.mu.Unlock()
	if changed {
		h.log.Info("embedded store: writing in the background works again")
	}
}

// die records the first fatal error and returns what stands recorded.
func (h *health) die(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.death == nil {
		h.death = fmt.Errorf("writing to the disk failed and the store stopped; restart the server, which finds all that was acknowledged: %w", err)
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

// fatalPanic is the panic with which Fatalf unwinds a reader.
type fatalPanic struct{ cause error }

// fatalCause returns the cause of a panic of Fatalf, nil where there was no panic; any other
// panic goes on.
func fatalCause(panicked any) error {
	switch p := panicked.(type) {
	case nil:
		return nil
	case fatalPanic:
		return p.cause
	default:
		panic(p)
	}
}

// Fatalf must not return, for Pebble doesn't expect it, and must not end the
// process, which serves more than this store. A reader, which waits for the answer,
// is unwound to where fatalPanic is recovered; a goroutine of Pebble's, or one that
// writes, ends. Either releases the locks that it holds, for which readers may wait.
func (h *health) Fatalf(format string, args ...any) {
	cause := h.die(fatalError{fmt.Sprintf(format, args...), args})
	if reading() {
		panic(fatalPanic{cause})
	}
	runtime.Goexit()
}

// fatalError is Pebble's fatal message, with the error that it formats.
type fatalError struct {
	text string
	args []any
}

func (e fatalError) Error() string { return e.text }

func (e fatalError) Unwrap() error {
	for _, arg := range e.args {
		if err, ok := arg.(error); ok {
			return err
		}
	}
	return nil
}

// reading reports whether a reader of this package called Pebble.
func reading() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // 3: above are this and Fatalf
	reading := false
	for {
		frame, more := frames.Next()
		ours, found := strings.CutPrefix(frame.Function, "broadsheet/embedded.")
		if strings.HasPrefix(ours, "aside.") {
			return false
		}
		reading = reading || found
		if !more {
			return reading
		}
	}
}

// aside runs what writes in a goroutine, which does not come back where the store
// dies: its caller also waits for h.dead. A panic is an error.
func aside(do func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- blog.Safely(do) }()
	return done
}

// events returns the listener for what Pebble reports.
func (h *health) events() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: h.fail,
		FlushEnd:        func(info pebble.FlushInfo) { h.flushed(info.Err) },
		CompactionEnd: func(info pebble.CompactionInfo) {
			if info.Err == nil {
				h.recovered()
			}
		},
		// The reader that found the damage returns the error; the others go on.
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			h.log.Error("embedded store: a file is damaged; stop the server and restore the directory from a backup", "path", info.Path, "error", info.Details)
		},
	}
}
