package embedded_test

import (
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
)

// What a point read is lent by Pebble lies in its cache, or in a memtable. Here the cache
// holds a hundredth of what is read and memtables are written to files all the time, so
// that what was lent is soon given to another: whatever is read after it was given back,
// or kept, shows as bytes that nobody wrote.

const tinyCache = 1 << 20

// squeezed opens a store on disk that keeps next to nothing in memory.
func squeezed(t *testing.T, options blog.Options) *embedded.Store {
	return closing(t)(embedded.Open(t.TempDir(), embedded.Options{Options: options, Log: quiet, CacheBytes: tinyCache}))
}

func TestEveryByteWithATinyCache(t *testing.T) {
	leakless(t)
	plan := storetest.BytesPlan{Users: 100, Posts: 5, Content: 40_000, Readers: 8, Writers: 8, Steps: 100}
	compareBytes(t, plan)
}

// TestSoakEveryByteWithATinyCache is the same with more of everything, for a minute.
func TestSoakEveryByteWithATinyCache(t *testing.T) {
	storetest.Soaks(t)
	leakless(t)
	plan := storetest.BytesPlan{Users: 100, Posts: 28, Content: 20_000, Readers: 64, Writers: 16, During: time.Minute}
	compareBytes(t, plan)
}

func compareBytes(t *testing.T, plan storetest.BytesPlan) {
	plan.Seed, plan.Prefix = storetest.Seed(t), "u"
	s := squeezed(t, blog.Options{})
	seen := storetest.CompareBytes(t.Context(), t, s, plan)
	found, err := audit.Verifying{}.Run(t.Context(), s)
	if err != nil || found.Drifted() != 0 {
		t.Errorf("verify: %v, %d rows drifted", err, found.Drifted())
	}
	t.Log(seen)
}
