package suite_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

func TestStore(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	config := testkeyspace.New(t)
	storetest.Suite{
		NewStore:               func(t *testing.T, options blog.Options) blog.Store { return testkeyspace.Open(t, config, options) },
		KeysExpireByThemselves: true,
	}.Run(t)
}
