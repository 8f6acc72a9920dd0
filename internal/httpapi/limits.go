package httpapi

import (
	"context"
	"maps"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
	"broadsheet/resolvers"
)

// costed says what an operation costs, and refuses it where that is too much.
func (a *API) costed(rec *record.Record, op *graphql.OperationContext, doc *document.Document) (cost int, errs gqlerror.List) {
	cost = doc.Cost(op, resolvers.Cost)
	rec.Cost, rec.Asker.Cost = cost, cost
	if most := a.config.Limits.Int(limit.Cost); most > 0 && cost > most {
		errs = refusal.New(refusal.CodeTooComplex, "the operation may read "+strconv.Itoa(cost)+
			" partitions, and at most "+strconv.Itoa(most)+" are allowed: ask for shorter pages, or for less of each row").Beyond(limit.Cost.String()).List()
	}
	return cost, errs
}

// withExtensions adds what a request asks for by extensions that are true: cost, which was estimated and which it was,
// in partitions; and budget, what is left of the client's.
func (a *API) withExtensions(ctx context.Context, params *graphql.RawParams, given map[string]any, estimated int) map[string]any {
	rec, all := record.Of(ctx), given
	add := func(name string, value map[string]any) {
		if all = maps.Clone(all); all == nil { // others may have been given it
			all = map[string]any{}
		}
		all[name] = value
	}
	if params.Extensions["cost"] == true {
		statements, partitions := rec.Statements()
		add("cost", map[string]any{"estimated": estimated, "limit": a.config.Limits.Int(limit.Cost), "statements": statements, "partitions": partitions})
	}
	if l := rec.Asker.Work.Limiter(); l != nil && params.Extensions["budget"] == true {
		left, _, _ := rec.Asker.Work.Left()
		add("budget", map[string]any{"limit": l.Burst(), "perSecond": float64(l.Limit()), "remaining": left, "spent": rec.Asker.Work.Spent.Load()})
	}
	return all
}

// writeBudget sets the headers of draft-ietf-httpapi-ratelimit-headers, and when to come again after too much work.
func writeBudget(h http.Header, b *client.Budget, status int) {
	all := b.Limiter()
	if all == nil {
		return
	}
	units, begins, whole := b.Left()
	h["Ratelimit-Policy"] = []string{`"work";q=` + strconv.Itoa(all.Burst()) + `;w=` + strconv.Itoa(client.WorkAtOnce) + `;qu="work-units"`}
	h["Ratelimit"] = []string{`"work";r=` + strconv.Itoa(units) + `;t=` + strconv.Itoa(whole)}
	if status == http.StatusTooManyRequests && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.Itoa(begins))
	}
}
