package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/resolvers"
)

// graphql executes one operation.
func (a *API) graphql(w http.ResponseWriter, r *http.Request) {
	s := a.state.Load()
	if s.refusal != nil {
		w.Header().Set("Retry-After", "1")
		refuse(w, r, http.StatusServiceUnavailable, s.refusal.code, s.refusal.reason)
		return
	}
	if a.gate.full() || waited(r.Context()) > a.config.Limits.Patience { // before its body is read, for that takes most of the time
		refuseBusy(w, r)
		return
	}
	params, err := readParams(w, r, a.config.Limits.Body)
	if err != nil {
		refuseRequest(w, r, err)
		return
	}
	hash, err := a.documents.resolve(params)
	if err != nil {
		refuseRequest(w, r, err)
		return
	}
	leave, ok := a.gate.enter(r.Context())
	if !ok {
		refuseBusy(w, r)
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(graphql.StartOperationTrace(r.Context()), a.config.RequestTimeout)
	defer cancel()

	op, errs := a.operation(ctx, s, &params.RawParams)
	if op.Operation != nil {
		noteOperation(r.Context(), op.Operation)
	}
	if isSafe(r.Method) && op.Operation != nil && op.Operation.Operation != ast.Query {
		refuseRequest(w, r, badf(http.StatusMethodNotAllowed, "a %s needs POST", op.Operation.Operation))
		return
	}
	if errs != nil {
		response := s.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs)
		writeResponse(w, r, statusOf(r, response), response)
		return
	}
	cost, errs := a.costed(r, op)
	if errs != nil {
		response := s.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs)
		writeResponse(w, r, statusOf(r, response), response)
		return
	}
	a.documents.keep(hash, params.Query)
	response := execute(resolvers.WithAnswerLimit(ctx, a.config.Limits.Answer), s.exec, op)
	if wantsCost(&params.RawParams) {
		response.Extensions = a.withCost(ctx, response.Extensions, cost)
	}
	a.answer(w, r, response)
}

func refuseBusy(w http.ResponseWriter, r *http.Request) {
	refuseBeyond(w, r, http.StatusServiceUnavailable, codeUnavailable, limitConcurrency, "the server has more requests than it can answer: try again in a second")
}

// operation returns what a request asks to be executed, or why it can't be.
func (a *API) operation(ctx context.Context, s *state, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	ctx, _, errs := s.texts.Prepare(ctx, params.Query)
	if errs != nil {
		return &graphql.OperationContext{RawQuery: params.Query}, errs
	}
	return s.exec.CreateOperationContext(ctx, params)
}

func execute(ctx context.Context, exec *executor.Executor, op *graphql.OperationContext) *graphql.Response {
	responses, ctx := exec.DispatchOperation(ctx, op)
	if response := responses(ctx); response != nil {
		return response
	}
	// The executor answers nothing where the context ended before it began.
	late := blog.Errorf(blog.Timeout, "the deadline passed before the operation began")
	return exec.DispatchError(graphql.WithOperationContext(ctx, op), gqlerror.List{gqlerror.Wrap(late)})
}

// refuseRequest answers a request that is no GraphQL request, or whose document is not
// executed.
func refuseRequest(w http.ResponseWriter, r *http.Request, err error) {
	var unknown *unknownDocument
	if errors.As(err, &unknown) {
		response := refusalOf(r, unknown.code, unknown.message)
		writeResponse(w, r, statusOf(r, response), response)
		return
	}
	status := http.StatusBadRequest
	var bad *badRequest
	if errors.As(err, &bad) {
		status = bad.status
	}
	if bad != nil && bad.limit != "" {
		refuseBeyond(w, r, status, codeBadRequest, bad.limit, err.Error())
		return
	}
	switch status {
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", "GET, HEAD, POST")
	case http.StatusUnsupportedMediaType: // RFC 9110, section 15.5.16
		w.Header().Set("Accept", mediaJSON)
		w.Header().Set("Accept-Encoding", "identity")
	}
	refuse(w, r, status, codeBadRequest, err.Error())
}
