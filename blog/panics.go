package blog

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// A panic in a goroutine ends the process, unless that goroutine recovers it; one that is recovered without an answer
// leaves its callers waiting. So each goroutine that serves a request, or works in the background, uses one of these.

// Safely returns what do returns, or [Panicked] of its panic. For work that one waits for, and that reports errors.
func Safely(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = Panicked(cause)
		}
	}()
	return do()
}

// SafelyLogged is Safely for work that several callers wait for, or none: a panic is logged once, with the stack, which
// the error does not hold.
func SafelyLogged(log *slog.Logger, do func() error) error {
	err := Safely(do)
	p, panicked := errors.AsType[*panicError](err)
	if !panicked {
		return err
	}
	log.Error("the program panicked; the work was given up", "error", p)
	return &Error{Kind: Internal, Err: fmt.Errorf("panic: %v", p.cause)}
}

// Panicked makes an [Internal] error of what was recovered from a panic, with the stack: it is called where that is.
func Panicked(cause any) error {
	return &Error{Kind: Internal, Err: &panicError{cause, debug.Stack()}}
}

type panicError struct {
	cause any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", p.cause, p.stack) }
