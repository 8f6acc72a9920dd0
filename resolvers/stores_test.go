package resolvers_test

import (
	"os"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// storeUnderTest opens an empty store for one scene and has t close it.
type storeUnderTest struct {
	name     string
	observes bool // it tells an observer of its statements
	open     func(t *testing.T, options blog.Options) blog.Store
}

// stores are what the goldens run on.
var stores = []storeUnderTest{
	{name: "model", open: openModel},
	{name: "embedded", observes: true, open: openEmbedded},
	{name: "cassandra", observes: true, open: openCassandra},
}

func openModel(_ *testing.T, options blog.Options) blog.Store { return storetest.NewModel(options) }

func openEmbedded(t *testing.T, options blog.Options) blog.Store {
	store, err := embedded.InMemory(embedded.Options{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

var keyspace testkeyspace.Shared

func TestMain(m *testing.M) { os.Exit(keyspace.Main(m)) }

func openCassandra(t *testing.T, options blog.Options) blog.Store {
	return testkeyspace.Open(t, keyspace.Empty(t), options)
}
