package resolvers_test

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/live"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
	"broadsheet/resolvers"
)

// api is the executable schema over one store, without a transport.
type api struct {
	exec      *executor.Executor
	documents *document.Documents
	by        *resolvers.Resolver
}

func newAPI(store blog.Store, log io.Writer) api {
	return newAPIOf(graph.NewPlannedSchema, store, log)
}

// newAPIOf is newAPI with queries answered by plans or by gqlgen.
func newAPIOf(schema func(graph.Config) graphql.ExecutableSchema, store blog.Store, log io.Writer) api {
	return attached(schema, store, log, client.NewAnswers(0, 0), newHub(store), resolvers.Config{})
}

// anySize are limits that no document of a test is beyond.
var anySize = limit.Values{limit.Tokens: 1 << 20, limit.Depth: 1 << 20, limit.Selections: 1 << 20, limit.Aliases: 1 << 20, limit.Directives: 1 << 20}

// newHub returns a hub that ends soon after its use.
func newHub(store blog.Store) *live.Hub {
	return live.New(live.Config{Store: store, Clock: storetest.NewClock(epoch), Linger: 1, Log: slog.New(slog.DiscardHandler)})
}

// attached is newAPIOf with a bound for answers and the room that they take, a hub, and what resolvers go by.
func attached(schema func(graph.Config) graphql.ExecutableSchema, store blog.Store, log io.Writer, answers *client.Answers, hub *live.Hub, config resolvers.Config) api {
	r := resolvers.New(store, hub, config)
	executable := schema(graph.Config{Resolvers: r})
	exec, documents := executor.New(executable), document.New(executable.Schema(), relay.Scalars, &anySize, true)
	r.Attach(exec, slog.New(slog.NewTextHandler(log, nil)), answers)
	documents.Attach(exec)
	return api{exec, documents, r}
}

// gauge counts what is under way at the same time.
type gauge struct {
	mu             sync.Mutex
	now, most, all int
}

// during is under way for some time.
func (g *gauge) during(d time.Duration) {
	g.mu.Lock()
	g.all++
	g.now++
	g.most = max(g.most, g.now)
	g.mu.Unlock()
	time.Sleep(d)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
}

// do executes an operation as a transport does.
func (a api) do(ctx context.Context, params graphql.RawParams) *graphql.Response {
	response, _ := a.costed(ctx, params)
	return response
}

// costed executes an operation, and says what it may cost; 0 where it is not executed.
func (a api) costed(ctx context.Context, params graphql.RawParams) (*graphql.Response, int) {
	op, _, errs := a.documents.Operation(ctx, nil, &params)
	if errs != nil {
		return a.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs), 0
	}
	cost := costOf(op)
	responses, ctx := a.exec.DispatchOperation(ctx, op)
	return responses(ctx), cost
}

func (a api) query(ctx context.Context, text string) *graphql.Response {
	return a.do(ctx, graphql.RawParams{Query: text})
}

// as is a context of a request by a subject.
func as(t testing.TB, subject string) context.Context {
	return resolvers.WithAsker(t.Context(), &resolvers.Asker{Bearer: blog.Bearer{Subject: subject}})
}

// counted counts the calls of a store's queries by the names of their methods.
type counted struct {
	blog.Store
	mu    sync.Mutex
	calls map[string]int
}

func newCounted(store blog.Store) *counted {
	c := &counted{}
	c.Store = storetest.Before(store, func(_ context.Context, query string) { c.count(query) })
	return c
}

func (c *counted) count(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[method]++
}

// take returns the counts since it was called last.
func (c *counted) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := maps.Clone(c.calls)
	clear(c.calls)
	return calls
}

// observed counts the statements of a store by kind and table, a batch at each of its tables.
type observed struct {
	mu         sync.Mutex
	statements map[string]int
}

func (o *observed) Statement(_ context.Context, s blog.Statement) {
	if s.Share { // of a batch that is told of by itself; whether there is one is chance
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.statements == nil {
		o.statements = map[string]int{}
	}
	for _, of := range s.ByTable() {
		if of.Table == blog.ChangeLogs { // a server renews its log by time, whatever is asked of it
			continue
		}
		o.statements[string(s.Kind)+" "+string(of.Table)]++
	}
}

func (o *observed) take() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	statements := maps.Clone(o.statements)
	clear(o.statements)
	return statements
}

// epoch is when every test begins.
var epoch = time.Date(2025, time.March, 1, 9, 0, 0, 0, time.UTC)

func costOf(op *graphql.OperationContext) int {
	cost, _ := resolvers.Cost(op)
	return cost
}
