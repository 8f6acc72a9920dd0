package cql

import (
	"context"
	"errors"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"

	"github.com/gocql/gocql"
)

// firstPause is how long [Insist] waits after a first failure, and lastPause at most.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = 2 * time.Second
)

// CommandDeadline bounds a command whose caller sets no sooner deadline.
const CommandDeadline = 10 * time.Second

// ErrHeld says that another process, or another goroutine of this one, does the work.
var ErrHeld = blog.Errorf(blog.Unavailable, "another server does this")

// Insist repeats a step while it is Unavailable, until ctx ends, waiting a little longer each time. It does not repeat
// [ErrHeld], nor what a closed session says: that is for good.
func Insist(ctx context.Context, step func(context.Context) error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := step(ctx)
		if err == nil || blog.KindOf(err) != blog.Unavailable || err == ErrHeld || errors.Is(err, gocql.ErrSessionClosed) || ctx.Err() != nil {
			return err
		}
		if pace.Wait(ctx, pause) != nil {
			return err
		}
	}
}
