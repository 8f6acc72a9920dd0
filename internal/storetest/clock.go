package storetest

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// Clock is a [blog.Clock] that stands still until it is moved. It is safe for
// concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows now.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to now, which may lie in its past.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock by d and returns the time that it shows then.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// Random returns random bytes for [blog.NewIDs], the same for the same seeds.
func Random(seeds ...uint64) io.Reader {
	var key [32]byte
	for i, seed := range seeds {
		at := key[8*(i%4):]
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)*31+seed)
	}
	return rand.NewChaCha8(key)
}
