package httpapi

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql/executor"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/coalesce"
	"broadsheet/internal/decorate"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/live"
	"broadsheet/internal/refusal"
	"broadsheet/internal/relay"
	"broadsheet/resolvers"
)

// Wait refuses requests as long as the store is not there, and says why.
func (a *API) Wait(reason string) {
	a.become(&state{refusal: refusal.New(refusal.CodeUnavailable, reason)})
}

// Leave has /readyz say no, for good, while requests are answered as before, so that a load balancer can turn to
// another server. From now on every answer closes its connection.
func (a *API) Leave() {
	a.leaving.Store(true)
}

// Drain leaves, and refuses what still arrives on open connections, for good, also if a store opens only now. What is
// in flight goes on. Subscriptions end with the reason, and WebSockets close when what they have in flight has ended.
func (a *API) Drain() {
	a.Leave()
	if hub := a.state.Load().live; hub != nil {
		defer hub.Stop()
	}
	defer a.sockets.Leave()
	a.become(&state{refusal: &refusal.Error{
		Status: http.StatusServiceUnavailable, Code: refusal.CodeShuttingDown, Message: "the server is shutting down; another one, or a new try, will answer",
	}})
}

// Drained returns when no request is answered any more, and all WebSockets are closed. Those that are not when ctx ends
// are cut.
func (a *API) Drained(ctx context.Context) {
	for a.inFlight.Load() > 0 && ctx.Err() == nil {
		select {
		case <-a.idle:
		case <-ctx.Done():
		}
	}
	a.sockets.Wait(ctx)
}

// Serve answers from a store, from now on.
func (a *API) Serve(store blog.Store) {
	next := &state{store: store}
	next.asked.Log = a.config.Log
	next.responses.Log, next.responses.Shared = a.config.Log, a.metrics.Joined("response")
	store = decorate.Share(store, a.config.Log, a.metrics.Joined)
	turns := resolvers.NewTurns()
	reading := turns
	if !a.config.InProcess {
		reading = nil
	}
	next.live = live.New(live.Config{Store: store, Log: a.config.Log, Behind: resolvers.ReadBehind(reading)})
	r := resolvers.New(store, next.live, resolvers.Config{RenameInterval: a.config.Limits.Time(limit.RenameInterval), EventTimeout: a.config.Limits.Time(limit.Deadline), AccountAge: a.config.AccountAge, InProcess: a.config.InProcess, Turns: turns})
	schema := graph.NewPlannedSchema(graph.Config{Resolvers: r})
	texts := document.New(schema.Schema(), relay.Scalars, &a.config.Limits, !a.config.NoIntrospection)
	texts.Turns = turns
	exec := executor.New(schema)
	r.Attach(exec, a.config.Log, a.answers)
	texts.Attach(exec)
	next.exec, next.texts = exec, texts
	a.become(next)
}

// become changes the state, unless the server drains.
func (a *API) become(next *state) {
	a.changing.Lock()
	defer a.changing.Unlock()
	if now := a.state.Load(); now != nil && now.refusal != nil && now.refusal.Code == refusal.CodeShuttingDown {
		return
	}
	a.state.Store(next)
}

// state is whether GraphQL requests are executed: they are where refusal is nil.
type state struct {
	refusal *refusal.Error // of requests that come too early or too late
	store   blog.Store
	live    *live.Hub // nil: there is no store
	exec    *executor.Executor

	texts *document.Documents
	asked coalesce.Next[struct{}, reasons] // what the store said

	responses coalesce.Next[question, *sharedAnswer]
}
