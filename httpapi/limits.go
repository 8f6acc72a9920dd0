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

	"broadsheet/httpapi/document"
	"broadsheet/httpapi/peer"
	"broadsheet/httpapi/rates"
	"broadsheet/resolvers"
)

// Limits bound what a client may ask for. A zero limit is none, but for those of the
// document and the body, which are always bounded.
type Limits struct {
	Body     int64           // bytes of a request
	Bodies   int64           // bytes that all requests larger than 4 KiB take of memory, about
	Document document.Limits // of a request's text

	Answer     int64 // bytes of an operation's data
	Answers    int64 // bytes of all that are larger than 256 KiB, until they are written, about
	Pace       int64 // bytes a second, at which an answer is to be read
	Cost       int   // partitions that an operation may read, as [resolvers.Cost] has it
	ReportCost bool  // an operation beyond Cost is executed, and only counted

	Concurrent int           // requests that are executed at once
	Queued     int           // requests that wait for their turn
	Patience   time.Duration // how long one waits, or has waited when it is read

	SubjectRate float64 // requests a second of one subject, and twice as many at once
	AddressRate float64 // of one address, of requests without a valid token
	WorkRate    float64 // units of work a second of one client, and [workAtOnce] times as many at once

	Writes         rates.Daily
	RenameInterval time.Duration // that is to lie between two changes of a username

	Live          int // WebSockets and event streams that are open at once
	LivePerClient int // of them, those of one address
	Subscriptions int // of one WebSocket at once
}

// DefaultLimits have no rates: what is right depends on who the clients are.
var DefaultLimits = Limits{
	Body: 1 << 20, Bodies: 64 << 20, Answer: 16 << 20, Answers: 256 << 20, Pace: 32 << 10, Document: document.DefaultLimits, Cost: 500,
	Concurrent: 256, Queued: 1024, Patience: 500 * time.Millisecond,
	Live: 8000, Subscriptions: 100,
}

// The limits by their names in metrics, and in the extension limit of an error. The others
// are those of [document.Limits].
const (
	limitBody        = "body"
	limitBodies      = "bodies"
	limitBodyTime    = "body_time"
	limitValues      = "values"
	limitCost        = "cost"
	limitConcurrency = "concurrency"
	limitDeadline    = "deadline"
	limitSubjectRate = "subject_rate"
	limitAddressRate = "address_rate"
	limitWork        = "work"
	limitErrors      = "errors"
	limitConnections = "connections"

	limitLive          = "live_connections"
	limitSubscriptions = "subscriptions"
)

// What is told of errors: enough to mend a request.
const (
	maxErrors       = 20
	maxErrorMessage = 300 // code points
)

// boundErrors keeps an answer to a request that is wrong all over from being larger than
// the request.
func boundErrors(ctx context.Context, response *graphql.Response) {
	if len(response.Errors) > maxErrors {
		recordOf(ctx).limited(limitErrors)
		response.Errors = response.Errors[:maxErrors:maxErrors]
	}
	for i, err := range response.Errors {
		// A message in bytes is not shorter than in code points.
		if len(err.Message) <= maxErrorMessage {
			continue
		}
		if text := []rune(err.Message); len(text) > maxErrorMessage {
			short := *err
			short.Message = string(text[:maxErrorMessage-1]) + "…"
			response.Errors[i] = &short
		}
	}
}

// beyond is an error that names the limit which a request is beyond.
func beyond(code, limit, message string) gqlerror.List {
	return gqlerror.List{{Message: message, Extensions: map[string]any{"code": code, "limit": limit}}}
}

// costed says what an operation costs, and refuses it where that is too much.
func (a *API) costed(ctx context.Context, op *graphql.OperationContext, doc *document.Document) (cost int, errs gqlerror.List) {
	defer a.caught(ctx, &errs)
	cost = doc.Cost(op, resolvers.Cost)
	if rec := recordOf(ctx); rec != nil {
		rec.cost = cost
	}
	if limit := a.config.Limits.Cost; limit > 0 && cost > limit {
		errs = beyond(document.CodeTooComplex, limitCost, "the operation may read "+strconv.Itoa(cost)+
			" partitions, and at most "+strconv.Itoa(limit)+" are allowed: ask for shorter pages, or for less of each row")
		if a.config.Limits.ReportCost {
			recordOf(ctx).limited(limitCost)
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
	if rec := recordOf(ctx); rec != nil {
		cost["statements"], cost["partitions"] = rec.statements.Load(), rec.partitions.Load()
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
	limit, wait := limitSubjectRate, time.Duration(0)
	switch {
	case subject != "":
		wait = a.subjectRates.Take(subject)
	case a.addressRates != nil:
		limit, wait = limitAddressRate, a.addressRates.Take(peer.Subnet(address()))
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
	refuseBeyond(w, r, http.StatusTooManyRequests, codeRateLimited, limit, tooManyRequests(seconds))
	return true
}

func tooManyRequests(seconds int) string {
	return "too many requests: try again in " + strconv.Itoa(seconds) + " s"
}
