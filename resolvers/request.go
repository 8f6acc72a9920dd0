package resolvers

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/plan"
)

type contextKey int

const (
	subjectKey contextKey = iota
	requestIDKey
	requestKey
	loadersKey
)

// WithSubject says on whose behalf a request is made: the subject of its verified
// token.
func WithSubject(ctx context.Context, subject string) context.Context {
	return context.WithValue(ctx, subjectKey, subject)
}

// Subject returns the request's subject, empty without a token.
func Subject(ctx context.Context) string {
	subject, _ := ctx.Value(subjectKey).(string)
	return subject
}

// WithRequestID names a request in the log and in the errors that point there.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey, id)
}

// RequestID returns the request's name, empty where it has none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}

// requests gives each response the state that its resolvers share. Loaders serve
// one root field of a mutation: the next must see what this one wrote.
type requests struct {
	*Resolver
	maxAnswer int64
	room      *Room
}

var (
	_ graphql.OperationContextMutator = requests{}
	_ graphql.ResponseInterceptor     = requests{}
	_ graphql.RootFieldInterceptor    = requests{}
)

func (requests) ExtensionName() string { return "Requests" }

func (requests) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext allows introspection, which gqlgen does not by default.
func (requests) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	op.DisableIntrospection = false
	return nil
}

func (r requests) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	q := &request{answer: newAnswer(r.maxAnswer, r.room, r.reading)}
	defer q.answer.share.Free()
	ctx = plan.WithLimit(context.WithValue(ctx, requestKey, q), q.answer.spend)
	response := next(context.WithValue(ctx, loadersKey, r.newLoaders()))
	if q.answer.spent() && response != nil {
		return &graphql.Response{Errors: gqlerror.List{q.answer.tooLarge()}}
	}
	return response
}

func (r requests) InterceptRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	mutates := graphql.GetOperationContext(ctx).Operation.Operation == ast.Mutation
	if mutates {
		ctx = context.WithValue(ctx, loadersKey, r.newLoaders())
	}
	field := next(ctx)
	q := ctx.Value(requestKey).(*request)
	if mutates && field != nil && field != graphql.Null {
		return bounded{field, q.answer} // a query is bounded by its plan
	}
	return field
}

// request is what is known of the one who asks.
type request struct {
	answer *answer

	mu      sync.Mutex
	known   bool
	account *blog.User // nil: none

	// What fields are asked for, themselves and below: from where their selections stand, a
	// *ast.Selection, to []graphql.CollectedField. A field asks below at one path.
	asked [2]sync.Map
}

// viewer returns the account of the request's subject, nil where there is none. It
// is read once, by whoever needs it first.
func (r *Resolver) viewer(ctx context.Context) (*blog.User, error) {
	subject := Subject(ctx)
	if subject == "" {
		return nil, nil
	}
	q := ctx.Value(requestKey).(*request)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known {
		return q.account, nil
	}
	switch account, err := r.store.UserBySubject(ctx, subject); {
	case err == nil:
		r.accounts.Add(subject, account.ID)
		q.account = &account
	case !blog.IsNotFound(err):
		return nil, err
	}
	q.known = true
	return q.account, nil
}

// rememberedAccounts is how many subjects' accounts are kept, 40 bytes and a
// subject each.
const rememberedAccounts = 1 << 14

// viewerID returns the id of the viewer's account, false where there is none. A
// subject is tied to one account for ever, so what was read once stays true.
func (r *Resolver) viewerID(ctx context.Context) (blog.UserID, bool, error) {
	if id, known := r.accounts.Get(Subject(ctx)); known {
		return id, true, nil
	}
	account, err := r.viewer(ctx)
	if account == nil {
		return blog.UserID{}, false, err
	}
	return account.ID, true, nil
}

// viewerIs notes that the subject has an account from now on.
func (r *Resolver) viewerIs(ctx context.Context, account blog.User) {
	r.accounts.Add(Subject(ctx), account.ID)
	q := ctx.Value(requestKey).(*request)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.known, q.account = true, &account
}
