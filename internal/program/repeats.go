package program

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"broadsheet/internal/httpapi"
)

const (
	repeatsEvery = 10 * time.Second // a cause that repeats has one line, and one with the count, in that time
	causesApart  = 12               // above so many in that time, causes of one message are one
	causeLength  = 200              // bytes of a cause that are compared
)

// unrepeated is a handler that writes a warning or an error of one cause once in a while, then how often it was repeated; so
// it does with requests whose clients left.
type unrepeated struct {
	slog.Handler
	causes *causes
}

// causes are those that have a line now. They are safe for concurrent use.
type causes struct {
	mu    sync.Mutex
	known map[string]*repeats
}

// repeats are lines of one cause that were left out.
type repeats struct {
	since time.Time
	n     int
	last  slog.Record
	to    slog.Handler
}

// Handle is a method of [slog.Handler]. Counts are written with the first line, of whatever level, that comes when they are due.
func (h unrepeated) Handle(ctx context.Context, r slog.Record) error {
	if err := h.count(ctx, r.Time, repeatsEvery); err != nil {
		return err
	}
	if (r.Level >= slog.LevelWarn || abandoned(r)) && h.causes.leaveOut(r, h.Handler) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// count forgets the causes that are so old, and writes how often each was repeated.
func (h unrepeated) count(ctx context.Context, now time.Time, age time.Duration) (err error) {
	for _, due := range h.causes.due(now, age) {
		due.last.Time = now
		due.last.AddAttrs(slog.Int("repeated", due.n))
		err = errors.Join(err, due.to.Handle(ctx, due.last))
	}
	return err
}

// WithAttrs is a method of [slog.Handler].
func (h unrepeated) WithAttrs(attrs []slog.Attr) slog.Handler {
	return unrepeated{h.Handler.WithAttrs(attrs), h.causes}
}

// WithGroup is a method of [slog.Handler].
func (h unrepeated) WithGroup(name string) slog.Handler {
	return unrepeated{h.Handler.WithGroup(name), h.causes}
}

// due forgets the causes that are so old, and returns those that were repeated.
func (c *causes) due(now time.Time, age time.Duration) (repeated []*repeats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cause, r := range c.known {
		if now.Sub(r.since) < age {
			continue
		}
		delete(c.known, cause)
		if r.n > 0 {
			repeated = append(repeated, r)
		}
	}
	return repeated
}

// leaveOut counts a line, and reports whether its cause has one.
func (c *causes) leaveOut(r slog.Record, to slog.Handler) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cause := causeOf(r)
	if c.known[cause] == nil && len(c.known) >= causesApart {
		cause = r.Message
	}
	if known := c.known[cause]; known != nil {
		known.n++
		known.last, known.to = r.Clone(), to
		return true
	}
	c.known[cause] = &repeats{since: r.Time}
	return false
}

// abandoned reports whether a line is of a request whose client did not wait for the answer.
func abandoned(r slog.Record) (is bool) {
	r.Attrs(func(a slog.Attr) bool {
		is = a.Key == "code" && a.Value.String() == httpapi.CodeClientLeft
		return !is
	})
	return is
}

// causeOf returns a line's message, the node or the journal's entry that it names, and its error or the code that a
// request was answered with, without the numbers in that: ports, ids and times.
func causeOf(r slog.Record) string {
	cause, of := r.Message, ""
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "error", "code":
			cause += ": " + a.Value.String()
		case "node", "entry":
			of += a.Value.String() + " "
		}
		return true
	})
	return of + strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, cause[:min(len(cause), causeLength)])
}
