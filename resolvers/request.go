package resolvers

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/graph/plan"
	"broadsheet/internal/client"
)

type contextKey int

const (
	askerKey contextKey = iota
	scopeKey
)

// Asker is on whose behalf a request is made, and the request's name.
type Asker struct {
	blog.Bearer        // of a verified token, whose end ends subscriptions; zero without one
	RequestID   string // in the log, and in the errors that point there; empty: it has none

	After  string // the cursor behind which a subscription goes on whose client comes back; empty: the operation says
	Cursor string // of the subscription's event that was delivered last; empty: it has none

	UserErrors []UserError // that the mutations were answered with, which run one after the other

	Cost int // of the operation, as [Cost] estimates it; 0: it is not known

	Work client.Budget // of the client for which it is done
}

// UserError is one of a payload's userErrors.
type UserError struct{ Mutation, Code string }

// WithAsker says who asks. It may be completed until an operation begins.
func WithAsker(ctx context.Context, asker *Asker) context.Context {
	return context.WithValue(ctx, askerKey, asker)
}

// AskerOf returns who asks; zero where the context does not say.
func AskerOf(ctx context.Context) *Asker {
	if asker, ok := ctx.Value(askerKey).(*Asker); ok {
		return asker
	}
	return &Asker{}
}

// maxAttempts is how often an answer is made where it would show two names for a user: once with copies, then with
// accounts. In the last one each user has the name that was met first.
const maxAttempts = 4

// operation answers an operation: a subscription with each of its events. A query, or an
// event, is answered anew where its answer would show two names for a user.
func (r *Resolver) operation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	if op.Operation.Operation == ast.Subscription {
		if err := oneStream(op); err != nil {
			return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{err}})
		}
		f := &follower{by: r, asker: AskerOf(ctx)}
		if f.asker.Subject == "" {
			f.asked = questionOf(op)
		}
		return f.follow(ctx, next)
	}
	responses := next(ctx)
	if op.Operation.Operation == ast.Query {
		return func(of context.Context) *graphql.Response {
			return r.consistent(of, responses, func() graphql.ResponseHandler { return next(ctx) })
		}
	}
	return func(of context.Context) *graphql.Response {
		response, _ := r.answer(of, responses, nil)
		return response
	}
}

// oneStream refuses a subscription that is left without its field, or is introspection, by what
// only the variables show, or the validation does not.
func oneStream(op *graphql.OperationContext) *gqlerror.Error {
	fields := plan.Fields(op, op.Operation.SelectionSet, schema.Subscription)
	if len(fields) == 1 && !strings.HasPrefix(fields[0].Name, "__") {
		return nil
	}
	err := &gqlerror.Error{Message: "a subscription must have one field, which is not skipped"}
	errcode.Set(err, errcode.ValidationFailed)
	return err
}

// consistent makes an answer, and makes it anew, by what again returns, until each user has one name in
// it.
func (r *Resolver) consistent(ctx context.Context, responses graphql.ResponseHandler, again func() graphql.ResponseHandler) *graphql.Response {
	response, doubts := r.answer(ctx, responses, nil)
	for made, more := 1, doubts; len(more) > 0 && made < maxAttempts; made++ {
		response, more = r.answer(ctx, again(), doubts)
		doubts = append(doubts, more...)
	}
	return response
}

// answer makes one response, for which the accounts of some users answer instead of the
// copies of their names. It returns of whom there were two names to show.
func (r *Resolver) answer(ctx context.Context, next graphql.ResponseHandler, accounts []blog.UserID) (*graphql.Response, []blog.UserID) {
	asker := AskerOf(ctx)
	q := newRequest(r.answers, asker.Work.Client)
	q.reservation.Budget = &asker.Work
	q.limit.Size, q.limit.Turns, q.limit.Ended = q.reservation, r.turns, ctx.Done()
	if asker.large() || r.config.InProcess { // many reads at a time help where they are waited for
		q.limit.Whole, q.limit.Beside = asker.large() && r.config.InProcess, r.beside
	}
	// The answer to an event is written in turns though it may be small: one change may set many going at once.
	q.limit.Large = asker.large() || graphql.GetOperationContext(ctx).Operation.Operation == ast.Subscription
	defer q.limit.End()
	defer q.reservation.Release()
	q.subject, q.again = asker.Subject, len(accounts) > 0
	of := r.newScope(q)
	of.names.ask(accounts...)
	ctx = plan.WithLimit(ctx, &q.limit)
	response := next(context.WithValue(ctx, scopeKey, of))
	if err := q.reservation.Err(); err != nil && response != nil {
		return RefusedAnswer(graphql.GetOperationContext(ctx).Operation.Operation, response, err), nil
	}
	return response, of.names.inDoubt()
}

// rootField answers a field of an operation: each of a mutation shows what those before it have written.
func (r *Resolver) rootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	if graphql.GetOperationContext(ctx).Operation.Operation != ast.Mutation {
		return next(ctx)
	}
	return next(context.WithValue(ctx, scopeKey, r.newScope(scopeOf(ctx).request)))
}

// scope is what resolvers share: one response's, or in a mutation one root field's.
type scope struct {
	*request
	*loaders
	names names
	by    *Resolver
}

func (r *Resolver) newScope(q *request) *scope {
	return &scope{request: q, loaders: r.newLoaders(), by: r}
}

func scopeOf(ctx context.Context) *scope { return ctx.Value(scopeKey).(*scope) }

// request is what is known of the one who asks.
type request struct {
	reservation *client.Making // of the answer
	limit       plan.Limit     // by it
	subject     string         // of the one who asks; empty: without a token
	again       bool           // an answer would show two names for a user: it is made of accounts as they are now

	mu      sync.Mutex
	known   bool
	account *blog.User // nil: none
}

// newRequest returns that of a client, nil: one that shares nothing.
func newRequest(answers *client.Answers, of *client.Client) *request {
	if of == nil {
		return &request{reservation: answers.Making(new(client.Share))}
	}
	return &request{reservation: answers.Making(&of.Answers), limit: plan.Limit{Making: of.Making}}
}

// viewer returns the account of the request's subject, nil where there is none, as of
// [Config.AccountAge] ago or later. It is read once at most, when it is first needed.
func (r *Resolver) viewer(ctx context.Context) (*blog.User, error) {
	subject := AskerOf(ctx).Subject
	if subject == "" {
		return nil, nil
	}
	q := scopeOf(ctx).request
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known {
		return q.account, nil
	}
	account, err := blog.Found(accountBy(ctx, r, accountKey{subject: subject}, subject, r.store.UserBySubject))
	if err != nil {
		return nil, err
	}
	q.known, q.account = true, account
	return account, nil
}

// accountKey is what an account was read by: one of these.
type accountKey struct {
	subject, username string
	id                blog.UserID
}

func (r *Resolver) userByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	return accountBy(ctx, r, accountKey{id: id}, id, r.store.UserByID)
}

// accountBy reads an account, unless it was read less than [Config.AccountAge] ago. That there is none is not kept.
func accountBy[K any](ctx context.Context, r *Resolver, key accountKey, by K, read func(context.Context, K) (blog.User, error)) (blog.User, error) {
	if known, ok := r.accounts.Get(key); ok && !scopeOf(ctx).again && time.Since(known.since) < r.config.AccountAge {
		return known.User, nil
	}
	since := time.Now()
	account, err := read(ctx, by)
	if err == nil && (r.config.AccountAge > 0 || key.subject != "") {
		r.accounts.Add(key, rememberedAccount{account, since})
	}
	return account, err
}

// rememberedAccounts is how many accounts are kept, of 6 KiB each at most, and mostly of less than 1 KiB.
const rememberedAccounts = 1 << 13

// viewerIDAge is for how long an account is known to be the subject's: an operator may relink it on
// another server.
const viewerIDAge = 10 * time.Second

// rememberedAccount is an account, read after since. Other servers count from the end of an
// edit, so a process that is paused while it reads does not answer for longer.
type rememberedAccount struct {
	blog.User
	since time.Time
}

// viewerID returns the id of the viewer's account, false where there is none, as of viewerIDAge ago or
// later.
func (r *Resolver) viewerID(ctx context.Context) (blog.UserID, bool, error) {
	if known, ok := r.accounts.Get(accountKey{subject: AskerOf(ctx).Subject}); ok && time.Since(known.since) < viewerIDAge {
		return known.ID, true, nil
	}
	account, err := r.viewer(ctx)
	if account == nil {
		return blog.UserID{}, false, err
	}
	return account.ID, true, nil
}

// viewerIs notes the subject's account for the rest of the request, nil: none; unless another acts for it by
// now. Later requests read it: another server may have edited it since the command did.
func (r *Resolver) viewerIs(ctx context.Context, account *blog.User) {
	subject, q := AskerOf(ctx).Subject, scopeOf(ctx).request
	if account == nil || account.Subject != subject {
		r.accounts.Remove(accountKey{subject: subject})
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.known, q.account = account == nil || account.Subject == subject, account
}
