package client

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"broadsheet/internal/pace"
	"broadsheet/internal/refusal"
)

// A unit of work is about a tenth of a millisecond of one core, or the reading of a partition. What an operation's
// document takes, package document finds out.
const (
	requestUnits = 2       // of any request
	unitBytes    = 4 << 10 // that are read of a request, or written to an answer, for one unit
)

// Budget is what a client may have done for it, as one request draws on it. Work begins where the client is not in
// debt, and is paid with what it is expected to take. What it takes beyond that may leave the client in debt, by as
// much as its budget holds at most. The nil Budget is any amount.
type Budget struct {
	Client *Client // nil: any amount

	Spent   atomic.Int64 // units, by this request
	moved   atomic.Int64 // bytes
	Refused atomic.Bool  // by Begin
}

// Limiter returns the units that the client has left; nil: it may have any amount done.
func (b *Budget) Limiter() *rate.Limiter {
	if b == nil || b.Client == nil {
		return nil
	}
	return b.Client.Work
}

// Begin pays for work that is to be begun, or refuses it where the client is in debt.
func (b *Budget) Begin(units int) *refusal.Error {
	if left := b.Limiter(); left != nil && left.Tokens() < 0 {
		b.Refused.Store(true)
		return b.Beyond()
	}
	b.Pay(units)
	return nil
}

// Move pays for bytes that have come, or are written. It is false where the client would be too deep in debt.
func (b *Budget) Move(bytes int) bool {
	if b.Limiter() == nil {
		return true
	}
	total := b.moved.Add(int64(bytes))
	units := int(total/unitBytes - (total-int64(bytes))/unitBytes)
	return units == 0 || b.Pay(units)
}

// Pay pays for work that is done, whether the units are there or not. It is false where the debt is too deep.
func (b *Budget) Pay(units int) bool {
	left := b.Limiter()
	if left == nil {
		return true
	}
	b.Spent.Add(int64(units))
	now, most := time.Now(), left.Burst()
	for ; units > 0; units -= most { // no more can be reserved at once
		left.ReserveN(now, min(units, most))
	}
	return left.TokensAt(now) > -float64(most)
}

// Wait returns when the client is not in debt, or with the error of ctx.
func (b *Budget) Wait(ctx context.Context) error {
	for left := b.Limiter(); left != nil && left.Tokens() < 0; {
		if err := pace.Wait(ctx, time.Duration(-left.Tokens()/float64(left.Limit())*float64(time.Second))+time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// Left returns how many units are left, and after how many seconds work may begin again and the budget is whole.
func (b *Budget) Left() (units, begins, whole int) {
	left := b.Limiter()
	tokens, perSecond := left.Tokens(), float64(left.Limit())
	return max(int(tokens), 0), max(int(math.Ceil(-tokens/perSecond)), 1), int(math.Ceil((float64(left.Burst()) - tokens) / perSecond))
}

// BeginRequest pays for a request of which so many bytes have come.
func (b *Budget) BeginRequest(bytes int) error {
	if refused := b.Begin(requestUnits + bytes/unitBytes); refused != nil {
		return refused
	}
	return nil
}

// Beyond says that the budget is used up.
func (b *Budget) Beyond() *refusal.Error {
	_, begins, _ := b.Left()
	return refusal.UsedUp("work", "the client's budget of work is used up", begins)
}
