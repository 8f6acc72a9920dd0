package resolvers

import (
	"sync"
	"testing"

	"broadsheet/internal/client"
)

// Reads begin, and end, while what a mutation was answered with is noted: the race detector sees to it.
func TestReadsBeginWhileAMutationIsNoted(t *testing.T) {
	t.Parallel()
	asker := &Asker{Cost: muchWork, Client: &client.Client{Reads: make(chan struct{}, 1)}}
	ctx := WithAsker(t.Context(), asker)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			reading, end := beginRead(ctx)
			defer end()
			if _, inside := beginRead(reading); inside == nil {
				t.Error("a read within one has no end")
			}
		})
	}
	for range 100 {
		asker.UserErrors = append(asker.UserErrors, UserError{"createPost", "INVALID"})
	}
	all.Wait()
	if got := len(asker.Client.Reads); got != 0 {
		t.Errorf("%d read, and all reads have ended", got)
	}
}
