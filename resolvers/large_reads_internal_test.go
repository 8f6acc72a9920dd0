package resolvers

import (
	"sync"
	"testing"

	"broadsheet/internal/client"
)

// Reads begin, and end, while what a mutation was answered with is noted: the race detector sees to it.
func TestReadsBeginWhileAMutationIsNoted(t *testing.T) {
	t.Parallel()
	asker := &Asker{Cost: muchWork, Work: client.Budget{Client: &client.Client{Reads: make(chan struct{}, 1)}}}
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
	if got := len(asker.Work.Client.Reads); got != 0 {
		t.Errorf("%d read, and all reads have ended", got)
	}
}

// A client's answers share its places and its memory, whichever operation they answer.
func TestAnswersAreOfTheirClient(t *testing.T) {
	t.Parallel()
	answers, of := client.NewAnswers(0, 1<<20), client.New(0, 0).Of(client.Key{Subject: "one"})
	one, next := newRequest(answers, of), newRequest(answers, of)
	if one.limit.Making == nil || one.limit.Making != next.limit.Making {
		t.Error("the large answers of one client do not wait for each other")
	}
	if one.reservation.Reserve(512<<10) != nil || next.reservation.Reserve(768<<10) == nil {
		t.Error("a client holds more than half of the room")
	}
	if other := newRequest(answers, nil); other.limit.Making != nil || other.reservation.Reserve(256<<10) != nil {
		t.Error("what has no client waits, or shares memory")
	}
}
