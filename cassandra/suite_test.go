package cassandra_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/storetest"
)

func TestStore(t *testing.T) {
	cassandratest.OnNode(t)
	storetest.Suite{
		NewStore:               func(t *testing.T, options blog.Options) blog.Store { return open(t, options) },
		KeysExpireByThemselves: true,
	}.Run(t)
}
