package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/refusal"
	"broadsheet/resolvers"
)

// CodeClientLeft is the code, in the log, of a request whose client did not wait for the answer.
const CodeClientLeft = refusal.CodeClientLeft

// refusalOf returns why a request is not executed, with the texts of joined errors. Another error is a bad request's.
func refusalOf(err error) *refusal.Error {
	refused := *badf(http.StatusBadRequest, "")
	if known := (*refusal.Error)(nil); errors.As(err, &known) {
		refused = *known
	}
	refused.Message = err.Error()
	return &refused
}

// isBeyond reports whether an error says that a client has used up a limit.
func isBeyond(err error) bool {
	return err != nil && refusalOf(err).Code == refusal.CodeRateLimited
}

// refuse answers a request that is not executed.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	e, h := refusalOf(err), w.Header()
	if e.Seconds > 0 {
		h.Set("Retry-After", strconv.Itoa(e.Seconds))
	}
	switch {
	case e.Status == http.StatusMethodNotAllowed:
		h.Set("Allow", "GET, HEAD, POST")
	case e.Status == http.StatusUnsupportedMediaType: // RFC 9110, section 15.5.16
		h.Set("Accept", mediaJSON)
		h.Set("Accept-Encoding", "identity")
	case e.Limit == limit.Bodies.String():
		h.Set("Connection", "close") // the rest of the body is not read
	}
	response := &graphql.Response{Errors: e.List()}
	writeResponse(w, r, cmp.Or(e.Status, statusOf(r, response)), response)
}

// errBusy refuses what there is no room for.
var errBusy = &refusal.Error{
	Status: http.StatusServiceUnavailable, Code: refusal.CodeUnavailable, Limit: limit.Concurrency.String(),
	Message: "the server has more requests than it can answer: try again in a second",
}

// internalErrors are those of a request that panicked.
func internalErrors(ctx context.Context) gqlerror.List {
	err := refusal.New(refusal.CodeInternal, "internal error").GraphQL()
	err.Extensions["requestId"] = resolvers.AskerOf(ctx).RequestID
	return gqlerror.List{err}
}
