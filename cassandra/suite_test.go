package cassandra_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
)

func TestStore(t *testing.T) {
	shared.Config(t) // skips where there is no Cassandra
	blogtest.Suite{
		NewStore:               func(t *testing.T, options blog.Options) blog.Store { return open(t, options) },
		KeysExpireByThemselves: true,
	}.Run(t)
}
