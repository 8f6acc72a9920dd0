package program

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbageAllowed is how much garbage may gather, in bytes, before it is collected. By
// default Go collects as soon as there is as much garbage as there is of what is used; a
// server that keeps little would then collect many times a second, and mark the same each
// time. Where more than this is used it is Go's default again.
const garbageAllowed = 16 << 20

// allowGarbage sets the collector's target, and again after each collection, unless GOGC
// does. A limit of GOMEMLIMIT holds either way.
func allowGarbage() {
	if os.Getenv("GOGC") == "" {
		new(garbageTarget).adjust()
	}
}

type garbageTarget struct{ percent int } // as it was set; 0: not yet

// adjust sets the target for what is used now. It is called once for each collection: then
// what nothing points to is cleaned up.
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
