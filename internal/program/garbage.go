package program

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbageAllowed is how much garbage, in bytes, may gather at least. By default Go collects when there is as much as is
// used: a server that keeps little would collect many times a second.
const garbageAllowed = 16 << 20

// allowGarbage sets the collector's target after each collection, unless GOGC does. GOMEMLIMIT holds either way.
func allowGarbage() {
	if os.Getenv("GOGC") == "" {
		new(garbageTarget).adjust()
	}
}

type garbageTarget struct{ percent int } // as it was set; 0: not yet

// adjust sets the target for what is used now. Each collection calls it, as the cleanup of what nothing points to.
func (c *garbageTarget) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := garbagePercent(live[0].Value.Uint64())
	far := percent - c.percent
	if far > c.percent/8 || far < -c.percent/8 || percent == 100 && far != 0 {
		c.percent = percent
		debug.SetGCPercent(percent) // it stops the world, for microseconds
	}
	// What has no pointer may share its memory with others, and is gone only when they are.
	runtime.AddCleanup(&struct{ _ *byte }{}, (*garbageTarget).adjust, c)
}

// garbagePercent returns GOGC for a heap of which so many bytes are used.
func garbagePercent(live uint64) int {
	const least = 4 << 20 // what Go takes for a smaller heap
	return max(100, int(garbageAllowed*100/max(live, least)))
}
