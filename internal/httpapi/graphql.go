package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/resolvers"
)

// graphql executes one operation.
func (a *API) graphql(w http.ResponseWriter, r *http.Request) {
	s := a.state.Load()
	if s.refusal != nil {
		refuse(w, r, s.refusal)
		return
	}
	a.asked(w, r, s)(w)
}

// answer writes a response that is complete, or a stream.
type answer func(w http.ResponseWriter)

// refusing is refuse, when it is the answer's turn to be written.
func refusing(r *http.Request, err error) answer {
	return func(w http.ResponseWriter) { refuse(w, r, err) }
}

// asked receives a request, and makes its answer when it is its turn. Its memory is given back before its client reads,
// and neither a client that is slow to send nor one that is slow to read holds a place.
func (a *API) asked(w http.ResponseWriter, r *http.Request, s *state) answer {
	reservation := a.bodies.For(&record.Of(r.Context()).Asker.Work.Client.Bodies, true)
	defer reservation.Release()
	body, err := receive(w, r, int64(a.config.Limits[limit.Body]), reservation)
	if err != nil {
		return refusing(r, err)
	}
	leave, ok := a.gate.enter(r.Context())
	if !ok {
		return refusing(r, errBusy)
	}
	defer leave()
	return a.respond(r, s, body)
}

// respond executes what a request asks for.
func (a *API) respond(r *http.Request, s *state, body []byte) answer {
	params, err := s.readParams(r, body)
	if err != nil {
		return refusing(r, err)
	}
	ctx, asked := r.Context(), question{}
	if record.Of(ctx).Asker.Subject == "" { // others share no answers
		asked = questionOf(r, body)
	}
	p, err := a.prepare(ctx, s, params, asked)
	if err == nil {
		err = mayCome(r, p)
	}
	if err != nil {
		return refusing(r, err)
	}
	if p.asEvents(r) {
		return a.streaming(r, s, p)
	}
	if p.errs != nil {
		response := s.refused(ctx, p)
		return func(w http.ResponseWriter) { writeResponse(w, r, statusOf(r, response), response) }
	}
	response, data := a.execute(ctx, s, p)
	response, release := a.hold(r.Context(), p, response, data)
	return func(w http.ResponseWriter) {
		defer release()
		a.answer(w, r, response)
	}
}

// mayCome says why an operation does not come by this request.
func mayCome(r *http.Request, p *prepared) error {
	if p.Operation == nil {
		return nil
	}
	kind := p.Operation.Operation
	switch {
	case isSafe(r.Method) && kind == ast.Mutation:
		return badf(http.StatusMethodNotAllowed, "a %s needs POST", kind)
	case kind == ast.Subscription && !p.asEvents(r):
		return badf(http.StatusNotAcceptable, "a subscription is answered by %s, or over a WebSocket, and the request accepts neither", mediaEvents)
	}
	return nil
}

// prepared is a request of which it is known what it asks for.
type prepared struct {
	*graphql.OperationContext // without an Operation where errs says why
	params                    *params
	question                  question
	deadline                  time.Time // of a query, a mutation, and what a subscription does to begin
	hash                      string    // by which its text is to be persisted; empty: it is not
	cost                      int
	errs                      gqlerror.List // why it is not executed; nil: it may be
}

// prepare finds out what a request asks for. An error says why there is none: it may not, or its document is not to be
// had.
func (a *API) prepare(ctx context.Context, s *state, params *params, asked question) (*prepared, error) {
	p := &prepared{params: params, question: asked, deadline: time.Now().Add(a.config.Limits.Time(limit.Deadline))}
	asker := &record.Of(ctx).Asker
	var err error
	if p.hash, err = a.documents.resolve(params); err != nil {
		return nil, err
	}
	a.examine(ctx, s, p)
	if budget := &asker.Work; budget.Refused.Load() || p.errs == nil && budget.Begin(p.cost) != nil {
		return nil, budget.Beyond()
	}
	if p.errs != nil || p.Operation.Operation != ast.Mutation || asker.Subject == "" { // without a subject nothing is written
		return p, nil
	}
	if refused := asker.Work.Client.Write(resolvers.WriteUnits(p.OperationContext)); refused != nil {
		return nil, refused
	}
	return p, nil
}

// examine finds out which operation a request asks for, and what it costs, or why it is not executed.
func (a *API) examine(ctx context.Context, s *state, p *prepared) {
	defer func() {
		if p.OperationContext == nil { // it was caught
			p.OperationContext = &graphql.OperationContext{RawQuery: p.params.Query}
		}
	}()
	defer a.caught(ctx, &p.errs)
	rec := record.Of(ctx)
	var doc *document.Document
	p.OperationContext, doc, p.errs = s.texts.Operation(ctx, &rec.Asker.Work, &p.params.RawParams)
	if p.Operation != nil {
		rec.Operation, rec.Name = string(p.Operation.Operation), p.Operation.Name
	}
	if p.errs == nil {
		p.cost, p.errs = a.costed(rec, p.OperationContext, doc)
	}
	if p.errs == nil && p.Operation.Operation == ast.Mutation {
		p.errs = resolvers.Judge(p.OperationContext)
	}
}

// refused is the response to a request that is not executed.
func (s *state) refused(ctx context.Context, p *prepared) *graphql.Response {
	return s.exec.DispatchError(graphql.WithOperationContext(ctx, p.OperationContext), p.errs)
}

// execute executes a query or a mutation.
func (a *API) execute(ctx context.Context, s *state, p *prepared) (*graphql.Response, *data) {
	ctx, cancel := context.WithDeadline(ctx, p.deadline)
	defer cancel()
	a.documents.keep(p.hash, p.params.Query)
	response, data := s.execute(ctx, p)
	response.Extensions = a.withExtensions(ctx, &p.params.RawParams, response.Extensions, p.cost)
	return response, data
}

// hold returns a response with its data, which is reserved until it is released, or without it.
func (a *API) hold(ctx context.Context, p *prepared, response *graphql.Response, data *data) (*graphql.Response, func()) {
	text, err := data.hold(a.answers, &record.Of(ctx).Asker.Work.Client.Answers)
	if err != nil {
		return resolvers.RefusedAnswer(p.Operation.Operation, response, err), func() {}
	}
	response.Data = text
	return response, data.release
}

// execute answers an operation. Requests without a subject that ask the same at once may share an answer.
func (s *state) execute(ctx context.Context, p *prepared) (*graphql.Response, *data) {
	op := p.OperationContext
	if op.Operation.Operation != ast.Query || resolvers.AskerOf(ctx).Subject != "" {
		response := execute(ctx, s.exec, op)
		return response, &data{text: response.Data}
	}
	shared, err := s.responses.Do(ctx, p.question, func(ctx context.Context) (*sharedAnswer, error) {
		response := execute(ctx, s.exec, op)
		made := &sharedAnswer{response, data{text: response.Data}}
		if slices.ContainsFunc(response.Errors, passes) {
			return nil, made
		}
		return made, nil
	})
	if err != nil && !errors.As(err, &shared) {
		return s.exec.DispatchError(graphql.WithOperationContext(ctx, op), gqlerror.List{gqlerror.Wrap(err)}), &data{}
	}
	own := *shared.response
	own.Errors = slices.Clone(own.Errors) // each request shortens its own
	return &own, &shared.data
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
