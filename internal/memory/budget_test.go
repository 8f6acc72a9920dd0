package memory_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"broadsheet/internal/memory"
)

const kib = 1 << 10

func TestReserve(t *testing.T) {
	t.Parallel()
	budget := memory.New(0, 1024*kib)
	reserve := func(r *memory.Reservation, bytes int, want bool) {
		t.Helper()
		if r.Reserve(bytes) != want || (r.Err() == nil) != want {
			t.Errorf("reserving %d bytes: want %v", bytes, want)
		}
	}
	first, second, third, fourth := budget.Sending(), budget.Sending(), budget.Sending(), budget.Sending()
	reserve(first, 200*kib, true)  // needs no reservation
	reserve(first, 156*kib, true)  // 256 KiB are reserved
	reserve(second, 600*kib, true) // 768 KiB: all the rest
	reserve(third, 256*kib, true)
	reserve(third, 1, false)
	first.Release()
	reserve(third, 1, false) // once refused
	reserve(fourth, 300*kib, true)
	reserve(first, 1000*kib, true) // nothing waits for it
	fourth.Release()
	second.Release()
	second.Release()

	fifth, sixth := budget.Sending(), budget.Sending()
	var reserving sync.WaitGroup
	for range 64 {
		reserving.Go(func() { reserve(fifth, 16*kib, true) })
	}
	reserving.Wait()
	reserve(fifth, 1, false)
	reserve(sixth, 1024*kib, true) // what the other had is free
	reserve(sixth, 1, false)

	unbounded := memory.New(0, 0).Sending()
	reserve(unbounded, 1<<40, true)
	unbounded.Release()
}

// Half of the budget is for answers that are made.
func TestMakingLeavesMemoryForSending(t *testing.T) {
	t.Parallel()
	budget := memory.New(0, 1024*kib)
	for made, want := range []bool{true, true, false} { // each takes 256 KiB beyond the first
		if budget.Making().Reserve(512*kib) != want {
			t.Errorf("answer %d is made: want %v", made, want)
		}
	}
	if !budget.Sending().Reserve(512 * kib) {
		t.Error("answers that are made leave no memory to send one")
	}
}

// What an answer spends is bounded by itself; what it only reserves is not.
func TestSpend(t *testing.T) {
	t.Parallel()
	making := memory.New(1000, 0).Making()
	if !making.Reserve(5000) || !making.Spend(600) || !making.Spend(400) || making.Err() != nil {
		t.Error(making.Err())
	}
	if making.Spend(1) || making.Err() != (memory.TooLarge{Limit: 1000}) {
		t.Errorf("one byte too many: %v", making.Err())
	}
	if sending := memory.New(1000, 0).Sending(); !sending.Spend(2000) {
		t.Error("an answer that was made is refused for its size")
	}
}

// Rows wait, of one answer and of all, in the order in which they came.
func TestRowsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		budget := memory.New(0, 0)
		var answers []*memory.Reservation
		began := 0
		begin := func(r *memory.Reservation, rows int) { // as all that follow, in one goroutine at a time
			go func() {
				if r.BeginRows(t.Context(), rows) == nil {
					began++
				}
			}()
			synctest.Wait()
		}
		for range 9 {
			answers = append(answers, budget.Making())
		}
		for range 3 {
			begin(answers[0], 400)
		}
		if began != 2 {
			t.Errorf("%d reads of one answer at once", began)
		}
		answers[0].EndRows(400)
		synctest.Wait()
		if began != 3 {
			t.Error("what was given back is not there for another read of the answer")
		}
		answers[0].EndRows(400)
		answers[0].EndRows(400)
		began = 0
		for _, answer := range answers {
			begin(answer, 5000) // goes alone
		}
		if began != 8 {
			t.Errorf("%d answers read as many rows as one may, at once", began)
		}
		answers[0].EndRows(5000)
		synctest.Wait()
		if began != 9 {
			t.Error("what was given back is not there for another answer")
		}
		ctx, cancel := context.WithCancel(t.Context())
		var gaveUp error
		go func() { gaveUp = answers[0].BeginRows(ctx, 1000) }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if gaveUp == nil {
			t.Error("a read that waits for those of other answers does not end with its context")
		}
		for _, answer := range answers[1:] {
			answer.EndRows(5000)
		}
		if err := answers[0].BeginRows(t.Context(), 1000); err != nil { // it had kept its rows, else
			t.Error(err)
		}
		answers[0].EndRows(1000)
	})
}
