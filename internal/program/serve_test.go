package program

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/storetest"
)

// lateStore takes no commands when it is asked first.
type lateStore struct {
	blog.Store
	asked int
}

func (s *lateStore) Writable(context.Context) error {
	if s.asked++; s.asked == 1 {
		return blog.Errorf(blog.Unavailable, "the clock is wrong")
	}
	return nil
}

// The demo dataset waits for a store that takes no commands yet.
func TestDemoWaitsForTheStore(t *testing.T) {
	t.Parallel()
	store := &lateStore{Store: storetest.NewModel(blog.Options{})}
	log := slog.New(slog.DiscardHandler)
	p := &program{stdout: io.Discard, stderr: io.Discard, log: log, store: StoreFlags{Store: StoreEmbedded}}
	c := &serveCommand{Demo: new(true)}
	if err := c.fill(t.Context(), p, store, httpapi.New(httpapi.Config{Log: log})); err != nil {
		t.Fatal(err)
	}
	if empty, err := store.Empty(t.Context()); err != nil || empty || store.asked != 2 {
		t.Errorf("the store was asked %d times; it is empty: %v, %v", store.asked, empty, err)
	}
}
