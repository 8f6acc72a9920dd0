package embedded_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
)

func TestLeavings(t *testing.T) {
	leakless(t)
	storetest.Leavings(t, inMemory, func(t *testing.T, store blog.Store) map[blog.Table]string {
		return store.(*embedded.Store).EveryText(t)
	})
}
