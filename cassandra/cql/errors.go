package cql

import (
	"context"
	"errors"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// Convert turns a driver's error into the domain's. Where the caller's own
// deadline has passed it is Timeout; where the cluster said that the statement
// itself is wrong, so that it can't have been executed and never will be, it is a
// fault of ours. All else (a refusal, a timeout, a connection that broke in
// whichever way) is Unavailable: the statement may have been executed or not, and
// may succeed when it is repeated.
func Convert(ctx context.Context, err error) error {
	var own *blog.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return err
	case ctx.Err() != nil:
		return &blog.Error{Kind: blog.Timeout, Message: "the deadline passed", Err: err}
	case Wrong(err):
		return &blog.Error{Kind: blog.Internal, Message: "the store failed", Err: err}
	default:
		return &blog.Error{Kind: blog.Unavailable, Message: "the store can't be reached or is overloaded; try again later", Err: err}
	}
}

// Wrong reports whether the statement itself is at fault, or what the program made
// of its answer.
func Wrong(err error) bool {
	for _, known := range []error{gocql.ErrQueryArgLength, gocql.ErrTooManyStmts, gocql.ErrUnsupported, gocql.ErrKeyspaceDoesNotExist} {
		if errors.Is(err, known) {
			return true
		}
	}
	var marshal gocql.MarshalError
	var unmarshal gocql.UnmarshalError
	if errors.As(err, &marshal) || errors.As(err, &unmarshal) {
		return true
	}
	var refused gocql.RequestError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Code() {
	case gocql.ErrCodeProtocol, gocql.ErrCodeCredentials, gocql.ErrCodeSyntax, gocql.ErrCodeUnauthorized,
		gocql.ErrCodeInvalid, gocql.ErrCodeConfig, gocql.ErrCodeAlreadyExists:
		return true
	}
	return false
}

// ErrAbsent says that a read matched no row.
var ErrAbsent = errors.New("no such row")

// AbsentIsZero makes a row that is absent one whose cells are zero.
func AbsentIsZero(err error) error {
	if err == ErrAbsent {
		return nil
	}
	return err
}

// ErrRefused says that a conditional write was not applied. It is Unavailable: once the row
// was read again another attempt may be.
var ErrRefused = blog.Errorf(blog.Unavailable, "a conditional write was refused: another was faster")
