package blog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Kind classifies an [Error] by what its receiver can do about it.
type Kind int

const (
	Internal        Kind = iota // a fault of the program or its store; the cause is for the log
	Invalid                     // the input can't be accepted as it is
	TooLong                     // a text is longer than its limit
	Taken                       // a unique name belongs to somebody else
	NotFound                    // the thing named does not exist, or does no more
	Forbidden                   // the actor may not do this
	VersionConflict             // the object was edited since the version expected
	Unavailable                 // the store can't be reached or is overloaded; later may work
	Timeout                     // the deadline passed; for a command, the outcome may be either
	Expired                     // a position in the change feed after which changes are kept no more
	Suspended                   // the actor's account is suspended: it writes nothing
)

var kindNames = [...]string{"internal", "invalid", "too long", "taken", "not found", "forbidden", "version conflict", "unavailable", "timeout", "expired", "suspended"}

// Kinds lists every kind, for tables that must be exhaustive.
func Kinds() (all []Kind) {
	for k := range kindNames {
		all = append(all, Kind(k))
	}
	return all
}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", int(k))
	}
	return kindNames[k]
}

// Error is the one error type that leaves a [Store] and the domain. As JSON it is kept as an idempotency key's outcome.
type Error struct {
	Kind    Kind     `json:"kind"`
	Field   []string `json:"field,omitempty"` // the path inside a command's input, as in ["title"]; nil where no field is to blame
	Message string   `json:"message"`         // for the person who caused it: says what to do; never holds internals
	Err     error    `json:"-"`               // the cause, for logs
}

func (e *Error) Error() string {
	text := cmp.Or(e.Message, e.Kind.String())
	if len(e.Field) > 0 {
		text = strings.Join(e.Field, ".") + ": " + text
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an [Error] that blames no field.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// FieldErrorf returns an [Error] that blames one field of a command's input.
func FieldErrorf(kind Kind, field, format string, args ...any) *Error {
	return &Error{Kind: kind, Field: []string{field}, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of the first [Error] in err's tree; contexts' own errors are [Timeout], others [Internal].
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return Timeout
	}
	return Internal
}

// IsFault reports whether err answers nothing: what was asked may be answered, or carried out, at another attempt.
func IsFault(err error) bool {
	if err == nil {
		return false
	}
	kind := KindOf(err)
	return kind == Internal || kind == Unavailable || kind == Timeout
}

// IsNotFound reports whether err says that the thing named does not exist.
func IsNotFound(err error) bool { return err != nil && KindOf(err) == NotFound }

// Found makes nil of what does not exist.
func Found[T any](value T, err error) (*T, error) {
	switch {
	case IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &value, nil
}

// Each returns every [Error] that err joins, in order, as a command's validation does; nil where it holds none.
func Each(err error) []*Error {
	switch e := err.(type) {
	case *Error:
		return []*Error{e}
	case interface{ Unwrap() []error }:
		var all []*Error
		for _, part := range e.Unwrap() {
			all = append(all, Each(part)...)
		}
		return all
	case interface{ Unwrap() error }:
		return Each(e.Unwrap())
	}
	return nil
}
