package embedded

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// health is what Pebble says about itself, as its logger and event listener.
//
//   - ill: a flush or compaction failed, as on a full disk. Pebble tries again by
//     itself. Meanwhile commands are refused, for what they write could not leave
//     memory; queries are answered.
//   - dead: the log or the list of files could not be written, so what is on disk
//     may be behind what is in memory. Nothing is answered until a restart, which
//     reads the disk again.
type health struct {
	log *slog.Logger

	mu      sync.Mutex
	illness error
	death   error
	dead    chan struct{} // closed with death
}

var _ pebble.Logger = (*health)(nil)

func newHealth(log *slog.Logger) *health { return &health{log: log, dead: make(chan struct{})} }

// cause returns why nothing can be answered, nil while it can.
func (h *health) cause() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.death
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

func (h *health) ail(err error) {
	h.mu.Lock()
	changed := h.illness == nil
	h.illness = err
	h.mu.Unlock()
	if changed { // Pebble tries again without a pause
		h.log.Error("embedded store: writing in the background failed; commands are refused until it succeeds", "error", err)
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
		h.death = fmt.Errorf("the store stopped after an error that it can't survive (restart the server, which recovers what was acknowledged): %w", err)
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

// lastWords is the panic with which Fatalf leaves a goroutine of ours.
type lastWords struct{ cause error }

// Fatalf must not return, for Pebble doesn't expect it, and must not end the
// process, which serves more than this store. A goroutine of ours is unwound to
// where lastWords is recovered; one of Pebble's ends. What they leave behind does
// not matter: a dead store never calls Pebble again.
func (h *health) Fatalf(format string, args ...any) {
	cause := h.die(fmt.Errorf(format, args...))
	if calledByUs() {
		panic(lastWords{cause})
	}
	runtime.Goexit()
}

// calledByUs reports whether this package is on the stack below Pebble.
func calledByUs() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // 3: above are runtime, this and Fatalf
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "broadsheet/embedded.") {
			return true
		}
		if !more {
			return false
		}
	}
}

// events returns what Pebble is to tell.
func (h *health) events() *pebble.EventListener {
	succeeded := func(err error) {
		if err == nil {
			h.recovered()
		}
	}
	return &pebble.EventListener{
		BackgroundError: h.ail,
		FlushEnd:        func(info pebble.FlushInfo) { succeeded(info.Err) },
		CompactionEnd:   func(info pebble.CompactionInfo) { succeeded(info.Err) },
		// The reader that found the damage returns the error; the others go on.
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			h.log.Error("embedded store: a file is damaged; stop the server and restore the directory from a backup", "path", info.Path, "error", info.Details)
		},
	}
}
