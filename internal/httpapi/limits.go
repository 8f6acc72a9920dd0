package httpapi

import (
	"context"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/httpapi/refusal"
	"broadsheet/resolvers"
)

// costed says what an operation costs, and refuses it where that is too much.
func (a *API) costed(ctx context.Context, op *graphql.OperationContext, doc *document.Document) (cost int, errs gqlerror.List) {
	defer a.caught(ctx, &errs)
	cost = doc.Cost(op, resolvers.Cost)
	if rec := record.Of(ctx); rec != nil {
		rec.Cost = cost
	}
	if limit := a.config.Limits.Cost; limit > 0 && cost > limit {
		errs = refusal.Beyond(document.CodeTooComplex, refusal.LimitCost, "the operation may read "+strconv.Itoa(cost)+
			" partitions, and at most "+strconv.Itoa(limit)+" are allowed: ask for shorter pages, or for less of each row")
		if a.config.Limits.ReportCost {
			record.Of(ctx).Limited(refusal.LimitCost)
			errs = nil
		}
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
	cost := map[string]any{"estimated": estimated, "limit": a.config.Limits.Cost}
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

// takeRate takes a request from its subject's rate, or where it has none from its address's.
// Where that is used up it returns which one, and how many seconds to wait.
func (a *API) takeRate(subject string, address func() netip.Addr) (limit string, seconds int) {
	limit, wait := refusal.LimitSubjectRate, time.Duration(0)
	switch {
	case subject != "":
		wait = a.subjectRates.Take(subject)
	case a.addressRates != nil:
		limit, wait = refusal.LimitAddressRate, a.addressRates.Take(peer.Subnet(address()))
	}
	if wait == 0 {
		return "", 0
	}
	return limit, int(math.Ceil(wait.Seconds()))
}

// limitRate refuses a request that is beyond a rate.
func (a *API) limitRate(w http.ResponseWriter, r *http.Request, subject string) (refused bool) {
	limit, seconds := a.takeRate(subject, func() netip.Addr { return a.config.TrustedProxies.Client(r) })
	if limit == "" {
		return false
	}
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	refuseBeyond(w, r, http.StatusTooManyRequests, refusal.CodeRateLimited, limit, tooManyRequests(seconds))
	return true
}

func tooManyRequests(seconds int) string {
	return "too many requests: try again in " + strconv.Itoa(seconds) + " s"
}
