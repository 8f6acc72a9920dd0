package program

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// Little that is used has its garbage collected rarely, much as often as Go does.
func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 4 << 20: 400, 8 << 20: 200, 16 << 20: 100, 1 << 30: 100} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes: %d %%, not %d %%", live, got, want)
		}
	}
}

// The target follows what is used, from collection to collection.
func TestGarbageTarget(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	percent := func() uint64 {
		runtime.GC()
		target := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(target)
		return target[0].Value.Uint64()
	}
	var target garbageTarget
	target.adjust()
	used := make([]byte, 1<<30) // nothing of it is written, so it takes no memory
	for _, plenty := range []bool{true, false, true} {
		deadline := time.Now().Add(time.Minute)
		for now := percent(); (now == 100) != plenty; now = percent() {
			if time.Now().After(deadline) {
				t.Fatalf("GOGC is %d, while plenty is used: %v", now, plenty)
			}
		}
		if runtime.KeepAlive(used); plenty {
			used = nil
		} else {
			used = make([]byte, 1<<30)
		}
	}
}
