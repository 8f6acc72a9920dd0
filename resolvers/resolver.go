// Package resolvers answers the fields of schema.graphqls. A resolver parses its
// arguments, makes one call of the store and returns; fields that a struct of the
// domain holds have none.
//
// What several resolvers share is in request.go (the viewer), loaders.go and
// ahead.go (no read is made twice or once per row), large_reads.go (what reads much
// reads little at a time), pages.go (connections) and errors.go (what a client sees of errors).
package resolvers

import (
	"cmp"
	"log/slog"
	"runtime"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	lru "github.com/hashicorp/golang-lru/v2"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/client"
	"broadsheet/internal/live"
	"broadsheet/internal/pace"
)

// Resolver is the root of all resolvers.
type Resolver struct {
	store      blog.Store
	live       *live.Hub
	config     Config
	accounts   *lru.Cache[accountKey, rememberedAccount]
	dispatches dispatches
	turns      pace.Places // to write large answers
	beside     int         // how many rows of a list a large operation reads or writes at the same time

	answers *client.Answers // of [Resolver.Attach], like present
	present graphql.ErrorPresenterFunc
}

// Config is what commands go by, beside their input.
type Config struct {
	RenameInterval time.Duration // that is to lie between two changes of a username; 0: none
	EventTimeout   time.Duration // for which one event of a subscription may be made; 0: 10 s
	AccountAge     time.Duration // for which an account that was read answers: [blog.AccountAge], where the store waits for it; 0: for one request
	InProcess      bool          // the store's reads are work of this process, which else waits for them
	Turns          pace.Places   // to write large answers; nil: [NewTurns]
}

var _ graph.ResolverRoot = (*Resolver)(nil)

// schema is that of schema.graphqls, which all executable schemas share.
var schema = graph.NewExecutableSchema(graph.Config{}).Schema()

// gqlparser declares @defer in every schema. Answers here come whole: a document that uses it is invalid, and
// introspection does not offer it.
func init() { delete(schema.Directives, "defer") }

// New returns the resolvers of a store, whose changes a hub delivers.
func New(store blog.Store, hub *live.Hub, config Config) *Resolver {
	if !config.InProcess {
		store = waiting(store)
	}
	config.EventTimeout = cmp.Or(config.EventTimeout, 10*time.Second)
	r := &Resolver{
		store: store, live: hub, config: config, turns: cmp.Or(config.Turns, NewTurns()),
		beside: 2 * max(runtime.GOMAXPROCS(0), 2), // while some are read, as many are written
	}
	r.accounts, _ = lru.New[accountKey, rememberedAccount](rememberedAccounts) // fails for a size below 1 only
	r.dispatches = r.newDispatches()
	return r
}

// NewTurns returns turns that leave one processor free.
func NewTurns() pace.Places { return pace.NewPlaces(max(runtime.GOMAXPROCS(0)-1, 1)) }

// Attach gives an executor of these resolvers what they need beside it: the state of each request, the presentation
// of errors, and introspection. An answer has a reservation while it is made.
func (r *Resolver) Attach(exec *executor.Executor, log *slog.Logger, answers *client.Answers) {
	r.answers, r.present = answers, presenter(log)
	exec.AroundOperations(r.operation)
	exec.AroundRootFields(r.rootField)
	exec.SetErrorPresenter(r.present)
	exec.SetRecoverFunc(recovered)
}

type (
	query    struct{ *Resolver }
	mutation struct{ *Resolver }
	user     struct{ *Resolver }
	post     struct{ *Resolver }
	comment  struct{ *Resolver }
	group    struct{ *Resolver }

	subscription        struct{ *Resolver }
	postEvent           struct{ *Resolver }
	commentCreatedEvent struct{ *Resolver }
)

func (r *Resolver) Query() graph.QueryResolver               { return query{r} }
func (r *Resolver) Mutation() graph.MutationResolver         { return mutation{r} }
func (r *Resolver) Subscription() graph.SubscriptionResolver { return subscription{r} }
func (r *Resolver) User() graph.UserResolver                 { return user{r} }
func (r *Resolver) Post() graph.PostResolver                 { return post{r} }
func (r *Resolver) Comment() graph.CommentResolver           { return comment{r} }
func (r *Resolver) Group() graph.GroupResolver               { return group{r} }

func (r *Resolver) CreateCommentPayload() graph.CreateCommentPayloadResolver {
	return payload[graph.CreateCommentPayload]{r}
}
func (r *Resolver) DeleteCommentPayload() graph.DeleteCommentPayloadResolver {
	return payload[graph.DeleteCommentPayload]{r}
}
func (r *Resolver) UpdatePostPayload() graph.UpdatePostPayloadResolver {
	return payload[graph.UpdatePostPayload]{r}
}

func (r *Resolver) PostCreatedEvent() graph.PostCreatedEventResolver { return postEvent{r} }
func (r *Resolver) PostUpdatedEvent() graph.PostUpdatedEventResolver { return postEvent{r} }
func (r *Resolver) CommentCreatedEvent() graph.CommentCreatedEventResolver {
	return commentCreatedEvent{r}
}
