package httpapi

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/httpapi/refusal"
	"broadsheet/resolvers"
)

// refuse answers a request that was not executed.
func refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	writeResponse(w, r, status, refusalOf(r, code, message))
}

func refusalOf(r *http.Request, code, message string) *graphql.Response {
	extensions := map[string]any{"code": code}
	if code == refusal.CodeInternal {
		extensions["requestId"] = resolvers.AskerOf(r.Context()).RequestID
	}
	return &graphql.Response{Errors: gqlerror.List{{Message: message, Extensions: extensions}}}
}

// refuseBeyond is refuse for a request that is beyond a limit.
func refuseBeyond(w http.ResponseWriter, r *http.Request, status int, code, limit, message string) {
	writeResponse(w, r, status, &graphql.Response{Errors: refusal.Beyond(code, limit, message)})
}
