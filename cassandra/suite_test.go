package cassandra_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
	"broadsheet/cassandra/cassandratest"
)

func TestStore(t *testing.T) {
	cassandratest.OnNode(t)
	blogtest.Suite{
		NewStore:               func(t *testing.T, options blog.Options) blog.Store { return open(t, options) },
		KeysExpireByThemselves: true,
	}.Run(t)
}
