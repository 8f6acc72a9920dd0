package program

import (
	"context"
	"fmt"
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

// The demo dataset waits for a store that takes no commands yet: it is tried again, and whole.
func TestDemoWaitsForTheStore(t *testing.T) {
	t.Parallel()
	store := &lateStore{Store: storetest.NewModel(blog.Options{})}
	log := slog.New(slog.DiscardHandler)
	p := &program{stdout: io.Discard, stderr: io.Discard, log: log, store: StoreFlags{Store: StoreEmbedded}}
	c, api := &serveCommand{Demo: new(true)}, httpapi.New(httpapi.Config{Log: log})
	for _, want := range []string{"the clock is wrong", "<nil>"} {
		err := c.fill(t.Context(), p, store, api)
		if empty, noted := store.Empty(t.Context()); fmt.Sprint(err) != want || noted != nil || empty != (err != nil) {
			t.Errorf("%v, want %s; the store is empty: %v, %v", err, want, empty, noted)
		}
		if err != nil && blog.KindOf(err) != blog.Unavailable {
			t.Errorf("%v ends the server", err)
		}
	}
}
