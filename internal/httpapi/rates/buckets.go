package rates

import (
	"math"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Buckets are token buckets, one for each key that was seen lately. Nil has no limit. It is safe for
// concurrent use.
type Buckets[K comparable] struct {
	limit rate.Limit
	burst int
	seen  *lru.Cache[K, *rate.Limiter]
}

// remembered is how many keys' buckets are kept; one that is forgotten begins with a full
// one.
const remembered = 1 << 14

// New returns buckets that so many tokens a second fall into, and that hold so many seconds';
// nil where there is no limit.
func New[K comparable](perSecond, atOnce float64) *Buckets[K] {
	if perSecond <= 0 {
		return nil
	}
	seen, err := lru.New[K, *rate.Limiter](remembered)
	if err != nil {
		panic(err) // the size is a constant above 0
	}
	return &Buckets[K]{limit: rate.Limit(perSecond), burst: max(int(math.Ceil(atOnce*perSecond)), 1), seen: seen}
}

// Take takes a token of a key's bucket. Where there is none it returns how long it takes
// until there is.
func (b *Buckets[K]) Take(key K) (wait time.Duration) {
	if b == nil {
		return 0
	}
	now := time.Now()
	reserved := b.Of(key).ReserveN(now, 1)
	if wait = reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
	}
	return wait
}

// Of returns a key's bucket.
func (b *Buckets[K]) Of(key K) *rate.Limiter {
	limiter, known := b.seen.Get(key)
	if !known {
		limiter = rate.NewLimiter(b.limit, b.burst)
		if before, raced, _ := b.seen.PeekOrAdd(key, limiter); raced {
			limiter = before
		}
	}
	return limiter
}
