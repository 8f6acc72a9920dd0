package resolvers

import (
	"sync"
	"testing"

	"broadsheet/internal/memory"
	"broadsheet/internal/slots"
)

// Reads begin, and end, while what a mutation was answered with is noted: the race detector sees to it.
func TestReadsBeginWhileAMutationIsNoted(t *testing.T) {
	t.Parallel()
	asker := &Asker{Cost: muchWork, Client: memory.Client{Subject: "one"}}
	ctx := WithAsker(t.Context(), asker)
	of := largeReads{slots.NewEach[memory.Client](1)}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			reading, end := of.begin(ctx)
			defer end()
			if _, inside := of.begin(reading); inside == nil {
				t.Error("a read within one has no end")
			}
		})
	}
	for range 100 {
		asker.UserErrors = append(asker.UserErrors, UserError{"createPost", "INVALID"})
	}
	all.Wait()
	if got := of.clients.Users(); got != 0 {
		t.Errorf("%d read, and all reads have ended", got)
	}
}
