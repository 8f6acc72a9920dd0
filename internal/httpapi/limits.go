package httpapi

import (
	"context"
	"maps"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
	"broadsheet/resolvers"
)

// costed says what an operation costs, and refuses it where that is too much.
func (a *API) costed(ctx context.Context, op *graphql.OperationContext, doc *document.Document) (cost int, errs gqlerror.List) {
	defer a.caught(ctx, &errs)
	cost = doc.Cost(op, resolvers.Cost)
	if rec := record.Of(ctx); rec != nil {
		rec.Cost = cost
	}
	if most := a.config.Limits.Int(limit.Cost); most > 0 && cost > most {
		errs = refusal.Beyond(refusal.CodeTooComplex, limit.Cost.String(), "the operation may read "+strconv.Itoa(cost)+
			" partitions, and at most "+strconv.Itoa(most)+" are allowed: ask for shorter pages, or for less of each row").List()
	}
	return cost, errs
}

// wantsCost reports whether a request asks to be told what it costs: by the extension
// cost, which is true.
func wantsCost(params *graphql.RawParams) bool {
	wanted, _ := params.Extensions["cost"].(bool)
	return wanted
}

// withCost adds what an operation was estimated to cost, in partitions, with the limit (0:
// none), and what it did cost.
func (a *API) withCost(ctx context.Context, extensions map[string]any, estimated int) map[string]any {
	cost := map[string]any{"estimated": estimated, "limit": a.config.Limits.Int(limit.Cost)}
	if rec := record.Of(ctx); rec != nil {
		cost["statements"], cost["partitions"] = rec.Statements()
	}
	all := maps.Clone(extensions)
	if all == nil {
		all = map[string]any{}
	}
	all["cost"] = cost
	return all
}
