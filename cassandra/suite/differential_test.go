package suite_test

import (
	"os"
	"strconv"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// The same random commands on the model, the embedded store and Cassandra give the
// same answers. DIFFERENTIAL_COMMANDS sets how many.
func TestLikeTheModelAndTheEmbeddedStore(t *testing.T) {
	t.Parallel()
	commands := 1_000
	if set := os.Getenv("DIFFERENTIAL_COMMANDS"); set != "" {
		var err error
		if commands, err = strconv.Atoi(set); err != nil {
			t.Fatal(err)
		}
	}
	keyspace := testkeyspace.New(t)
	storetest.Differential(t, storetest.Seed(t), commands, map[string]storetest.NewStore{
		"cassandra": func(t *testing.T, options blog.Options) blog.Store {
			return testkeyspace.Scanned{Store: testkeyspace.Open(t, keyspace, options), Config: keyspace}
		},
		"embedded": func(t *testing.T, options blog.Options) blog.Store {
			store, err := embedded.InMemory(embedded.Options{Options: options})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			return store
		},
	})
}
