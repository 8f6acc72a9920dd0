package cassandra

import (
	"context"
	"errors"
	"io"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// convert turns a driver's error into the domain's. Where the caller's own
// deadline has passed it is Timeout; where the cluster refused, timed out or could
// not be reached it is Unavailable; what is left is a fault of ours.
func convert(ctx context.Context, err error) error {
	var own *blog.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return err
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &blog.Error{Kind: blog.Timeout, Message: "the deadline passed", Err: err}
	case transient(err):
		return &blog.Error{Kind: blog.Unavailable, Message: "the store can't be reached or is overloaded; try again later", Err: err}
	default:
		return &blog.Error{Kind: blog.Internal, Message: "the store failed", Err: err}
	}
}

// transient reports whether the same statement may succeed later.
func transient(err error) bool {
	for _, known := range []error{
		gocql.ErrNoConnections, gocql.ErrNoConnectionsStarted, gocql.ErrTimeoutNoResponse,
		gocql.ErrTooManyTimeouts, gocql.ErrConnectionClosed, gocql.ErrNoStreams,
		gocql.ErrSessionClosed, gocql.ErrUnavailable, gocql.ErrHostQueryFailed,
		io.EOF, io.ErrUnexpectedEOF, // the node died while it was asked
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	var network interface{ Timeout() bool } // net.Error, net.OpError, syscall.Errno
	if errors.As(err, &network) {
		return true
	}
	var refused gocql.RequestError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Code() {
	case gocql.ErrCodeServer, gocql.ErrCodeUnavailable, gocql.ErrCodeOverloaded, gocql.ErrCodeBootstrapping,
		gocql.ErrCodeWriteTimeout, gocql.ErrCodeReadTimeout, gocql.ErrCodeReadFailure, gocql.ErrCodeWriteFailure,
		gocql.ErrCodeCASWriteUnknown, gocql.ErrCodeUnprepared:
		return true
	}
	return false
}
