// Package refusal has the codes of errors, and makes the errors of requests that are not executed.
package refusal

import (
	"fmt"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// The codes, in Apollo Server's names where it has one. gqlgen has those of documents that can't be parsed or are invalid.
const (
	CodeBadRequest            = "BAD_REQUEST"
	CodeBadUserInput          = "BAD_USER_INPUT"
	CodeClientLeft            = "CLIENT_CLOSED_REQUEST" // in logs and metrics only
	CodeCursorExpired         = "CURSOR_EXPIRED"
	CodeForbidden             = "FORBIDDEN"
	CodeInternal              = "INTERNAL_SERVER_ERROR"
	CodeIntrospectionDisabled = "INTROSPECTION_DISABLED"
	CodePersistedNotFound     = "PERSISTED_QUERY_NOT_FOUND"
	CodePersistedNotSupported = "PERSISTED_QUERY_NOT_SUPPORTED"
	CodeRateLimited           = "RATE_LIMITED"
	CodeShuttingDown          = "SHUTTING_DOWN"
	CodeSlowConsumer          = "SLOW_CONSUMER"
	CodeTimeout               = "TIMEOUT"
	CodeTooComplex            = "QUERY_TOO_COMPLEX"
	CodeUnauthenticated       = "UNAUTHENTICATED"
	CodeUnavailable           = "UNAVAILABLE"
	CodeUnknownOperation      = "OPERATION_RESOLUTION_FAILURE"
)

// The limits that can't be set, by their names in metrics and in the extension limit of an error.
const (
	LimitValues = "values"
	LimitErrors = "errors"
)

// How much of errors is sent: enough to mend a request.
const (
	MaxErrors       = 20
	MaxErrorMessage = 300 // code points
)

// Error says why a request is not executed.
type Error struct {
	Status  int // of HTTP; 0: it follows from the code
	Code    string
	Limit   string // that the request is beyond; empty: none
	Message string
	Seconds int // until the client may try again; 0: it is not known
}

// New is an error without a limit.
func New(code, message string) *Error { return &Error{Code: code, Message: message} }

// Beyond says which limit the request of a new error is beyond.
func (e *Error) Beyond(limit string) *Error {
	e.Limit = limit
	return e
}

// UsedUp is the error of a client that has used up what a limit gives it, for so many seconds.
func UsedUp(limit, what string, seconds int) *Error {
	return &Error{http.StatusTooManyRequests, CodeRateLimited, limit, fmt.Sprintf("%s: try again in %d s", what, seconds), seconds}
}

func (e *Error) Error() string { return e.Message }

// GraphQL returns the error as an answer has it.
func (e *Error) GraphQL() *gqlerror.Error {
	err := &gqlerror.Error{Message: e.Message, Extensions: map[string]any{"code": e.Code}}
	if e.Limit != "" {
		err.Extensions["limit"] = e.Limit
	}
	return err
}

// List returns the errors of an answer.
func (e *Error) List() gqlerror.List { return gqlerror.List{e.GraphQL()} }

// LimitOf returns the limit that an error names, empty where it is about none.
func LimitOf(err *gqlerror.Error) string {
	limit, _ := err.Extensions["limit"].(string)
	return limit
}

// CodeOf returns the code of an error, empty where it has none.
func CodeOf(err *gqlerror.Error) string {
	code, _ := err.Extensions["code"].(string)
	return code
}
