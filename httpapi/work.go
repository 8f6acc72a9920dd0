package httpapi

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"golang.org/x/time/rate"
)

// A unit of work is about a tenth of a millisecond of one core, or the reading of a partition.
// What an operation's document takes is found out by package document.
const (
	requestUnits = 2       // of any request
	unitBytes    = 4 << 10 // that are read of a request, or written to an answer, for one unit
	workAtOnce   = 5       // seconds' work
)

// budget is what a client may have done for it, as one request draws on it. Work begins where the
// client is not in debt, and is paid with what it is expected to take. What it takes beyond that
// may leave the client in debt, by as much as its budget holds at most.
type budget struct {
	limiter *rate.Limiter // nil: any amount

	spent   atomic.Int64 // units, by this request
	written atomic.Int64 // bytes
	refused atomic.Bool  // by begin
}

// begin pays for work that is to be begun. It is false where the client is in debt.
func (b *budget) begin(units int) bool {
	if b.limiter == nil {
		return true
	}
	if now := time.Now(); b.limiter.TokensAt(now) >= 0 {
		b.pay(now, units)
		return true
	}
	b.refused.Store(true)
	return false
}

// write pays for bytes that are written. It is false where the client would be too deep in debt.
func (b *budget) write(bytes int) bool {
	total := b.written.Add(int64(bytes))
	units := int(total/unitBytes - (total-int64(bytes))/unitBytes)
	if b.limiter == nil || units == 0 {
		return true
	}
	now := time.Now()
	b.pay(now, units)
	return b.limiter.TokensAt(now) > -float64(b.limiter.Burst())
}

// pay takes units, whether they are there or not.
func (b *budget) pay(now time.Time, units int) {
	b.spent.Add(int64(units))
	for most := b.limiter.Burst(); units > 0; units -= most { // no more can be reserved at once
		b.limiter.ReserveN(now, min(units, most))
	}
}

// left returns how many units are left, and after how many seconds work may begin again and the
// budget is whole.
func (b *budget) left() (units, begins, whole int) {
	tokens := b.limiter.TokensAt(time.Now())
	perSecond := float64(b.limiter.Limit())
	return max(int(tokens), 0), max(int(math.Ceil(-tokens/perSecond)), 1), int(math.Ceil((float64(b.limiter.Burst()) - tokens) / perSecond))
}

// tell sets the headers of draft-ietf-httpapi-ratelimit-headers, and when to come again where
// an answer says that there was too much work.
func (b *budget) tell(h http.Header, status int) {
	if b.limiter == nil {
		return
	}
	units, begins, whole := b.left()
	h.Set("RateLimit-Policy", fmt.Sprintf(`"work";q=%d;w=%d;qu="work-units"`, b.limiter.Burst(), workAtOnce))
	h.Set("RateLimit", fmt.Sprintf(`"work";r=%d;t=%d`, units, whole))
	if status == http.StatusTooManyRequests && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.Itoa(begins))
	}
}

// withBudget adds what is left of a client's budget where a request asks for it, by the extension
// budget, which is true.
func (b *budget) withBudget(params *graphql.RawParams, extensions map[string]any) map[string]any {
	if wanted, _ := params.Extensions["budget"].(bool); !wanted || b.limiter == nil {
		return extensions
	}
	units, _, _ := b.left()
	all := maps.Clone(extensions)
	if all == nil {
		all = map[string]any{}
	}
	all["budget"] = map[string]any{"limit": b.limiter.Burst(), "perSecond": float64(b.limiter.Limit()), "remaining": units, "spent": b.spent.Load()}
	return all
}

// tooMuchWork says that a client's budget is used up.
type tooMuchWork struct{ budget *budget }

func (e *tooMuchWork) Error() string {
	_, begins, _ := e.budget.left()
	return "the client's budget of work is used up: try again in " + strconv.Itoa(begins) + " s"
}

func (e *tooMuchWork) list() gqlerror.List { return beyond(codeRateLimited, limitWork, e.Error()) }

// received pays for the reading of a request of so many bytes, -1: it is not known how many come.
func (b *budget) received(bytes int64) error {
	if !b.begin(requestUnits + int(max(bytes, 0)/unitBytes)) {
		return &tooMuchWork{b}
	}
	return nil
}
