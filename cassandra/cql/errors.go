package cql

import (
	"context"
	"errors"
	"slices"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// Convert turns a driver's error into the domain's: Timeout where the caller's own deadline has passed,
// Internal where the cluster said that the statement itself is wrong, so that it never will be executed.
// All else (a refusal, a timeout, a connection that broke) is Unavailable: the statement may have been
// executed or not, and may succeed when it is repeated.
func Convert(ctx context.Context, err error) error {
	_, own := errors.AsType[*blog.Error](err)
	switch {
	case err == nil || own:
		return err
	case ctx.Err() != nil:
		return &blog.Error{Kind: blog.Timeout, Message: "the deadline passed", Err: err}
	case Wrong(err):
		return &blog.Error{Kind: blog.Internal, Message: "the store failed", Err: err}
	default:
		return &blog.Error{Kind: blog.Unavailable, Message: "the store can't be reached or is overloaded; try again later", Err: err}
	}
}

// Wrong reports whether the statement itself is at fault, or what the program made of its answer.
func Wrong(err error) bool {
	_, marshal := errors.AsType[gocql.MarshalError](err)
	_, unmarshal := errors.AsType[gocql.UnmarshalError](err)
	refused, answered := errors.AsType[gocql.RequestError](err)
	return marshal || unmarshal || answered && slices.Contains(wrongCodes, refused.Code()) ||
		slices.ContainsFunc(wrongErrors, func(known error) bool { return errors.Is(err, known) })
}

var (
	wrongErrors = []error{
		gocql.ErrQueryArgLength, gocql.ErrTooManyStmts, gocql.ErrUnsupported, gocql.ErrKeyspaceDoesNotExist,
	}
	wrongCodes = []int{
		gocql.ErrCodeProtocol, gocql.ErrCodeCredentials, gocql.ErrCodeSyntax, gocql.ErrCodeUnauthorized,
		gocql.ErrCodeInvalid, gocql.ErrCodeConfig, gocql.ErrCodeAlreadyExists,
	}
)

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

// ErrUnsure is the cause of a refusal behind an attempt whose answer was lost. That may have been applied, and what it
// wrote be gone since, or it may come late: the command's intent stays open, and recovery finds out.
var ErrUnsure = errors.New("an attempt whose answer was lost may be applied")

// Unsure gives a refusal the cause [ErrUnsure]. A failure, which has a cause of its own, stays.
func Unsure(err error) error {
	var refused *blog.Error
	if !errors.As(err, &refused) || refused.Err != nil {
		return err
	}
	return &blog.Error{Kind: refused.Kind, Field: refused.Field, Message: refused.Message, Err: ErrUnsure}
}
