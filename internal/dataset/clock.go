package dataset

import (
	"sync/atomic"
	"time"
)

// Clock is the machine's clock, but while a plan is written: that is dated over [Span] before now, the more of it
// the nearer to now.
type Clock struct{ back atomic.Int64 }

// Span is the time over which a plan is dated.
const Span = 2 * 365 * 24 * time.Hour

// Now is a method of [blog.Clock].
func (c *Clock) Now() time.Time { return time.Now().Add(-time.Duration(c.back.Load())) }

// pass has the clock come to where a part of the plan is written, 1 for all of it.
func (c *Clock) pass(part float64) {
	if c != nil {
		c.back.Store(int64((1 - min(part, 1)) * (1 - min(part, 1)) * float64(Span)))
	}
}
