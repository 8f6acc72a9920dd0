package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/httpapi/coerce"
	"broadsheet/httpapi/document"
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
	body, err := receive(w, r, a.config.Limits.Body)
	if err != nil {
		refuseRequest(w, r, err)
		return
	}
	answer, ok := a.inTurn(r, func() answer { return a.respond(r, s, body) })
	if !ok {
		refuseBusy(w, r)
		return
	}
	answer(w)
}

// answer writes a response that is complete.
type answer func(w http.ResponseWriter)

// inTurn makes an answer when it is the request's turn. Neither a client that is slow to
// send nor one that is slow to read holds a place.
func (a *API) inTurn(r *http.Request, respond func() answer) (answer, bool) {
	leave, ok := a.gate.enter(r.Context())
	if !ok {
		return nil, false
	}
	defer leave()
	return respond(), true
}

// respond executes what a request asks for.
func (a *API) respond(r *http.Request, s *state, body []byte) answer {
	refused := func(err error) answer { return func(w http.ResponseWriter) { refuseRequest(w, r, err) } }
	params, err := readParams(r, body)
	if err != nil {
		return refused(err)
	}
	hash, err := a.documents.resolve(params)
	if err != nil {
		return refused(err)
	}
	ctx, cancel := context.WithTimeout(graphql.StartOperationTrace(r.Context()), a.config.RequestTimeout)
	defer cancel()

	op, doc, errs := a.operation(ctx, s, &params.RawParams)
	if op.Operation != nil {
		noteOperation(r.Context(), op.Operation)
		if op.Operation.Operation == ast.Subscription {
			return refused(badf(http.StatusNotAcceptable, "a subscription is not answered by one response"))
		}
		if isSafe(r.Method) && op.Operation.Operation != ast.Query {
			return refused(badf(http.StatusMethodNotAllowed, "a %s needs POST", op.Operation.Operation))
		}
	}
	cost := 0
	if errs == nil {
		cost, errs = a.costed(r, op, doc)
	}
	if errs == nil && op.Operation.Operation == ast.Mutation {
		errs = a.judged(ctx, op)
	}
	if errs != nil {
		response := s.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs)
		return func(w http.ResponseWriter) { writeResponse(w, r, statusOf(r, response), response) }
	}
	a.documents.keep(hash, params.Query)
	response, data := s.execute(ctx, op, r, body)
	if wantsCost(&params.RawParams) {
		response.Extensions = a.withCost(ctx, response.Extensions, cost)
	}
	return a.answering(r, response, data)
}

// answering returns how a response is written, if its data can be reserved as long as that
// takes.
func (a *API) answering(r *http.Request, response *graphql.Response, data *data) answer {
	text, err := data.hold(a.budget)
	if err != nil {
		response = &graphql.Response{Errors: gqlerror.List{resolvers.Refused(err)}}
		return func(w http.ResponseWriter) { a.answer(w, r, response) }
	}
	response.Data = text
	return func(w http.ResponseWriter) {
		defer data.release()
		a.answer(w, r, response)
	}
}

func refuseBusy(w http.ResponseWriter, r *http.Request) {
	refuseBeyond(w, r, http.StatusServiceUnavailable, codeUnavailable, limitConcurrency, busyMessage)
}

// operation is [document.Documents.Operation] of what is served.
func (a *API) operation(ctx context.Context, s *state, params *graphql.RawParams) (op *graphql.OperationContext, doc *document.Document, errs gqlerror.List) {
	defer func() {
		if op == nil { // it was caught
			op = &graphql.OperationContext{RawQuery: params.Query}
		}
	}()
	defer a.caught(ctx, &errs)
	return s.texts.Operation(ctx, s.exec, params)
}

// judged is [resolvers.Judge].
func (a *API) judged(ctx context.Context, op *graphql.OperationContext) (errs gqlerror.List) {
	defer a.caught(ctx, &errs)
	return resolvers.Judge(op)
}

// caught is deferred where a request is prepared, by nothing but what the client sent: what
// panics there is a request that the server can't read, and no fault that a new try mends.
func (a *API) caught(ctx context.Context, errs *gqlerror.List) {
	cause := recover()
	if cause == nil {
		return
	}
	a.config.Log.WarnContext(ctx, "a request can't be prepared", "request", resolvers.AskerOf(ctx).RequestID,
		"error", fmt.Sprint(cause), "stack", string(debug.Stack()))
	*errs = gqlerror.List{{
		Message:    "the server can't read this document with these variables",
		Extensions: map[string]any{"code": coerce.CodeBadUserInput},
	}}
}

// execute answers an operation. Requests without a subject that ask the same at once share the answer
// to one of them, where that is allowed.
func (s *state) execute(ctx context.Context, op *graphql.OperationContext, r *http.Request, body []byte) (*graphql.Response, *data) {
	if s.responses == nil || op.Operation.Operation != ast.Query || resolvers.AskerOf(ctx).Subject != "" {
		response := execute(ctx, s.exec, op)
		return response, &data{text: response.Data}
	}
	shared, err := s.responses.Do(ctx, questionOf(r, body), func(ctx context.Context) (*sharedAnswer, error) {
		response := execute(ctx, s.exec, op)
		made := &sharedAnswer{response, data{text: response.Data}}
		if slices.ContainsFunc(response.Errors, passes) {
			return nil, &failedAnswer{made}
		}
		return made, nil
	})
	if failed := (*failedAnswer)(nil); errors.As(err, &failed) {
		shared, err = failed.answer, nil
	}
	if err != nil {
		return s.exec.DispatchError(graphql.WithOperationContext(ctx, op), gqlerror.List{gqlerror.Wrap(err)}), &data{}
	}
	own := *shared.response
	own.Errors = slices.Clone(own.Errors) // each request shortens its own
	return &own, &shared.data
}

// sharedAnswer is what several requests are answered with.
type sharedAnswer struct {
	response *graphql.Response
	data     data
}

// failedAnswer is an answer with errors that may have passed when it is asked for again. It is
// the answer to one request.
type failedAnswer struct{ answer *sharedAnswer }

func (f *failedAnswer) Error() string { return f.answer.response.Errors.Error() }

// passes reports whether an error is a failure, and not what any request of the same would be
// told. That a limit is reached is no failure.
func passes(err *gqlerror.Error) bool {
	switch codeOf(err) {
	case codeInternal, codeUnavailable, codeTimeout:
		return limitOf(err) == ""
	}
	return false
}

// question is what a request says, byte for byte: no request that says the same means anything
// else.
type question struct {
	posted bool // it is a body, else a URL's query
	text   string
}

func questionOf(r *http.Request, body []byte) question {
	if r.Method == http.MethodPost {
		return question{true, string(body)}
	}
	return question{false, r.URL.RawQuery}
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
