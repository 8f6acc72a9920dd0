package embedded

import (
	"context"
	"errors"
	"syscall"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// convert makes any error a blog.Error: the one place that knows Pebble's and the file system's.
func (s *Store) convert(err error) error {
	if err == nil {
		return nil
	}
	var known *blog.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &blog.Error{Kind: blog.Timeout, Message: "the deadline passed", Err: err}
	case s.health.cause() != nil, errors.Is(err, pebble.ErrClosed), errors.Is(err, syscall.ENOSPC):
		return unavailable(err)
	default: // a damaged file, a damaged value, a fault of the disk
		return &blog.Error{Kind: blog.Internal, Err: err}
	}
}

func unavailable(cause error) *blog.Error {
	return &blog.Error{Kind: blog.Unavailable, Message: "the store can't answer now", Err: cause}
}

// refused is the error of a command that can't be carried out, while queries are answered.
func refused(cause error) *blog.Error {
	err := unavailable(cause)
	if err.Message = "nothing can be written now"; errors.Is(cause, errDiskFull) || errors.Is(cause, syscall.ENOSPC) {
		err.Message = "nothing can be written: the disk of the store is full; it goes on as soon as there is room"
	}
	return err
}

// ifAbsent returns other in the place of an error which says that something does not exist.
func ifAbsent(err, other error) error {
	if blog.IsNotFound(err) {
		return other
	}
	return err
}

// fault returns err where the statement itself failed: that a row is absent, or a command refused, is an answer.
func fault(err error) error {
	if blog.IsFault(err) {
		return err
	}
	return nil
}
