// Package client bounds what a server does for each of those that ask it. A [Client] has a budget of work, a share of
// each [Room], of memory and of connections, and places for what is done for it at the same time.
package client

import (
	"math"
	"net/netip"
	"runtime"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"broadsheet/internal/pace"
	"broadsheet/internal/refusal"
)

// Key is what a client is known by: its subject, or without one its network.
type Key struct {
	Subject string
	Network netip.Prefix // zero where there is a subject
}

// Client is one of those that share a server. It is safe for concurrent use.
type Client struct {
	Work   *rate.Limiter // of units of work; nil: any amount
	Writes *rate.Limiter // of units of writing; nil: any amount

	Bodies, Answers, Connections, Live Share // of what there is for all

	Making pace.Places // for its large answers that are made at a time
	Reads  pace.Places // for the reads of its large operations, and of its streams that read the feed by themselves
}

// Clients are those that came lately. They are safe for concurrent use.
type Clients struct {
	perSecond, perDay float64
	seen              *lru.Cache[Key, *Client]
}

const (
	// remembered is how many clients are known. One that is forgotten begins anew: with full budgets, and
	// holding nothing, whatever it holds still.
	remembered = 1 << 14

	// WorkAtOnce is how many seconds' work a client may have done at once.
	WorkAtOnce = 5

	day    = 24 * time.Hour
	atOnce = day / 4 // of writing
)

// New returns clients that have so many units of work a second and of writing a day, 0: any amount.
func New(work, writes float64) *Clients {
	seen, _ := lru.New[Key, *Client](remembered) // it fails for a size below 1 only
	return &Clients{perSecond: work, perDay: writes, seen: seen}
}

// Of returns a client. What reads or writes much for it leaves one processor to others, and half of the rest.
func (c *Clients) Of(key Key) *Client {
	client, known := c.seen.Get(key)
	if known {
		return client
	}
	processors := runtime.GOMAXPROCS(0)
	client = &Client{
		Work: limiter(c.perSecond, WorkAtOnce), Writes: limiter(c.perDay/day.Seconds(), atOnce.Seconds()),
		Making: pace.NewPlaces(max((processors-1)/2, 1)), Reads: pace.NewPlaces(max(processors, 2)),
	}
	if before, raced, _ := c.seen.PeekOrAdd(key, client); raced {
		return before
	}
	return client
}

// limiter returns a bucket that so many tokens a second fall into, and that holds so many seconds'; nil: no limit.
func limiter(perSecond, atOnce float64) *rate.Limiter {
	if perSecond <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(perSecond), max(int(math.Ceil(atOnce*perSecond)), 1))
}

// Write takes units of writing, all of them or none, and says why they are not there; nil: they were.
func (c *Client) Write(units int) *refusal.Error {
	if c.Writes == nil || units == 0 {
		return nil
	}
	now := time.Now()
	reserved := c.Writes.ReserveN(now, units)
	switch wait := reserved.DelayFrom(now); wait {
	case 0:
		return nil
	case rate.InfDuration:
		return refusal.New(refusal.CodeTooComplex, "the operation writes more than an account may at once; nothing was executed; write less in one operation").Beyond("writes")
	default:
		reserved.CancelAt(now)
		return refusal.UsedUp("writes", "the account has written as much as it may; nothing was executed", int(math.Ceil(wait.Seconds())))
	}
}
