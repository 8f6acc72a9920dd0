package httpapi

import (
	"github.com/99designs/gqlgen/graphql/executor"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/live"
	"broadsheet/internal/refusal"
)

// state is whether GraphQL requests are executed: they are where refusal is nil.
type state struct {
	refusal *refusal.Error // of requests that come too early or too late
	store   blog.Store
	live    *live.Hub // nil: there is no store
	exec    *executor.Executor

	texts *document.Documents
	asked coalesce.Next[struct{}, string] // why the store is not ready; empty: it is

	responses *coalesce.Next[question, *sharedAnswer] // nil: each request has its own
}
