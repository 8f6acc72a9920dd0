package httpapi

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/resolvers"
)

// The codes of requests that are refused before anything is executed, in Apollo
// Server's names where it has one.
const (
	codeBadRequest      = "BAD_REQUEST"
	codeForbidden       = "FORBIDDEN"
	codeClientLeft      = "CLIENT_CLOSED_REQUEST" // of no answer: the client has left
	codeInternal        = "INTERNAL_SERVER_ERROR"
	codeRateLimited     = "RATE_LIMITED"
	codeShuttingDown    = "SHUTTING_DOWN"
	codeSlowConsumer    = "SLOW_CONSUMER"
	codeTimeout         = "TIMEOUT"
	codeUnauthenticated = "UNAUTHENTICATED"
	codeUnavailable     = "UNAVAILABLE"
)

// refuse answers a request that was not executed.
func refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	writeResponse(w, r, status, refusalOf(r, code, message))
}

func refusalOf(r *http.Request, code, message string) *graphql.Response {
	extensions := map[string]any{"code": code}
	if code == codeInternal {
		extensions["requestId"] = resolvers.AskerOf(r.Context()).RequestID
	}
	return &graphql.Response{Errors: gqlerror.List{{Message: message, Extensions: extensions}}}
}

// refuseBeyond is refuse for a request that is beyond a limit.
func refuseBeyond(w http.ResponseWriter, r *http.Request, status int, code, limit, message string) {
	writeResponse(w, r, status, &graphql.Response{Errors: beyond(code, limit, message)})
}

// limitOf returns the limit that an error names, empty where it is about none.
func limitOf(err *gqlerror.Error) string {
	limit, _ := err.Extensions["limit"].(string)
	return limit
}

// codeOf returns the code of an error, empty where it has none.
func codeOf(err *gqlerror.Error) string {
	code, _ := err.Extensions["code"].(string)
	return code
}
