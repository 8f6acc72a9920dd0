package client

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"broadsheet/internal/refusal"
)

// A unit of work is about a tenth of a millisecond of one core, or the reading of a partition.
// What an operation's document takes is found out by package document.
const (
	requestUnits = 2       // of any request
	unitBytes    = 4 << 10 // that are read of a request, or written to an answer, for one unit
)

// Budget is what a client may have done for it, as one request draws on it. Work begins where the
// client is not in debt, and is paid with what it is expected to take. What it takes beyond that
// may leave the client in debt, by as much as its budget holds at most. The nil Budget is any amount.
type Budget struct {
	Limiter *rate.Limiter // nil: any amount

	Spent    atomic.Int64 // units, by this request
	received atomic.Int64 // bytes
	written  atomic.Int64 // bytes
	Refused  atomic.Bool  // by Begin
}

// Begin pays for work that is to be begun. It is false where the client is in debt.
func (b *Budget) Begin(units int) bool {
	if b == nil || b.Limiter == nil {
		return true
	}
	if now := time.Now(); b.Limiter.TokensAt(now) >= 0 {
		b.pay(now, units)
		return true
	}
	b.Refused.Store(true)
	return false
}

// Receive pays for bytes of a request that have come. It is false as Write is.
func (b *Budget) Receive(bytes int) bool { return b.each(&b.received, bytes) }

// Write pays for bytes that are written. It is false where the client would be too deep in debt.
func (b *Budget) Write(bytes int) bool { return b == nil || b.each(&b.written, bytes) }

func (b *Budget) each(counted *atomic.Int64, bytes int) bool {
	total := counted.Add(int64(bytes))
	units := int(total/unitBytes - (total-int64(bytes))/unitBytes)
	return units == 0 || b.Pay(units)
}

// Pay pays for work that is done. It is false where the client would be too deep in debt.
func (b *Budget) Pay(units int) bool {
	if b == nil || b.Limiter == nil {
		return true
	}
	now := time.Now()
	b.pay(now, units)
	return b.Limiter.TokensAt(now) > -float64(b.Limiter.Burst())
}

// Wait returns when the client is not in debt, or with the error of ctx.
func (b *Budget) Wait(ctx context.Context) error {
	for b != nil && b.Limiter != nil {
		tokens := b.Limiter.TokensAt(time.Now())
		if tokens >= 0 {
			break
		}
		wait := time.NewTimer(time.Duration(-tokens/float64(b.Limiter.Limit())*float64(time.Second)) + time.Millisecond)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		}
	}
	return nil
}

// pay takes units, whether they are there or not.
func (b *Budget) pay(now time.Time, units int) {
	b.Spent.Add(int64(units))
	for most := b.Limiter.Burst(); units > 0; units -= most { // no more can be reserved at once
		b.Limiter.ReserveN(now, min(units, most))
	}
}

// Left returns how many units are left, and after how many seconds work may begin again and the
// budget is whole.
func (b *Budget) Left() (units, begins, whole int) {
	tokens := b.Limiter.TokensAt(time.Now())
	perSecond := float64(b.Limiter.Limit())
	return max(int(tokens), 0), max(int(math.Ceil(-tokens/perSecond)), 1), int(math.Ceil((float64(b.Limiter.Burst()) - tokens) / perSecond))
}

// BeginRequest pays for a request of which so many bytes have come.
func (b *Budget) BeginRequest(bytes int) error {
	if !b.Begin(requestUnits + bytes/unitBytes) {
		return b.Beyond()
	}
	return nil
}

// Beyond says that the budget is used up.
func (b *Budget) Beyond() *refusal.Error {
	_, begins, _ := b.Left()
	return refusal.UsedUp("work", "the client's budget of work is used up", begins)
}
