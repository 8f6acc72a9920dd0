package suite_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

func TestLeavings(t *testing.T) {
	t.Parallel()
	config := testkeyspace.Own(t)
	open := func(t *testing.T, options blog.Options) blog.Store { return testkeyspace.Open(t, config, options) }
	storetest.Leavings(t, open, func(t *testing.T, _ blog.Store) map[blog.Table]string { return testkeyspace.EveryText(t, config) })
}
