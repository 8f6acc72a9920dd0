package storetest_test

import (
	"io"
	"log/slog"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
)

func newModel(_ *testing.T, options blog.Options) blog.Store { return storetest.NewModel(options) }

func newEmbedded(t *testing.T, options blog.Options) blog.Store {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	store, err := embedded.InMemory(embedded.Options{Options: options, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

func TestModel(t *testing.T) { storetest.Run(t, newModel) }

// The leaf tests keep apart on shared data, as in one keyspace of Cassandra.
func TestModelsThatShareTheirData(t *testing.T) {
	first := storetest.NewModel(blog.Options{})
	storetest.Run(t, func(_ *testing.T, options blog.Options) blog.Store { return first.Another(options) })
}

func TestDifferential(t *testing.T) {
	stores := map[string]storetest.NewStore{"another model": newModel, "embedded": newEmbedded}
	storetest.Differential(t, storetest.Seed(t), 3_000, stores)
}
