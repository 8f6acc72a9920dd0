// Package refusal names why requests are refused: the codes that errors have, and the limits that
// they are beyond.
package refusal

import "github.com/vektah/gqlparser/v2/gqlerror"

// The codes of requests that are refused before anything is executed, in Apollo
// Server's names where it has one.
const (
	CodeBadRequest      = "BAD_REQUEST"
	CodeForbidden       = "FORBIDDEN"
	CodeClientLeft      = "CLIENT_CLOSED_REQUEST" // of no answer: the client has left
	CodeInternal        = "INTERNAL_SERVER_ERROR"
	CodeRateLimited     = "RATE_LIMITED"
	CodeShuttingDown    = "SHUTTING_DOWN"
	CodeSlowConsumer    = "SLOW_CONSUMER"
	CodeTimeout         = "TIMEOUT"
	CodeUnauthenticated = "UNAUTHENTICATED"
	CodeUnavailable     = "UNAVAILABLE"
)

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

// The limits that can't be set, by their names in metrics and in the extension limit of an error.
const (
	LimitValues = "values"
	LimitErrors = "errors"
)

// What is told of errors: enough to mend a request.
const (
	MaxErrors       = 20
	MaxErrorMessage = 300 // code points
)

// Beyond is an error that names the limit which a request is beyond.
func Beyond(code, limit, message string) gqlerror.List {
	return gqlerror.List{{Message: message, Extensions: map[string]any{"code": code, "limit": limit}}}
}
