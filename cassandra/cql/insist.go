package cql

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// FirstPause is how long [Insist] waits after a first failure, and lastPause at most.
const (
	FirstPause = 10 * time.Millisecond
	lastPause  = 2 * time.Second
)

// CommandDeadline bounds a command whose caller sets no sooner deadline.
const CommandDeadline = 10 * time.Second

// ErrHeld says that another process, or another goroutine of this one, does the work.
var ErrHeld = blog.Errorf(blog.Unavailable, "another server does this")

// Insist repeats step until it succeeds or ctx ends, waiting a little longer after
// each failure. It repeats what is Unavailable alone, and [ErrHeld] it returns at once.
func Insist(ctx context.Context, step func(context.Context) error) error {
	for pause := FirstPause; ; pause = min(2*pause, lastPause) {
		err := step(ctx)
		if err == nil || blog.KindOf(err) != blog.Unavailable || err == ErrHeld || ctx.Err() != nil {
			return err
		}
		if pace.Wait(ctx, pause) != nil {
			return err
		}
	}
}
