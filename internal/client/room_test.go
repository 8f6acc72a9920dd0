package client_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"broadsheet/internal/client"
	"broadsheet/internal/refusal"
)

const kib = 1 << 10

var full = refusal.New("FULL", "there is no more")

func TestReserve(t *testing.T) {
	t.Parallel()
	one, other := new(client.Share), new(client.Share)
	budget := client.NewAnswers(0, 1024*kib)
	reserve := func(r *client.Reservation, bytes int, want bool) {
		t.Helper()
		if refused := r.Reserve(bytes); (refused == nil) != want || r.Err() != refused {
			t.Errorf("reserving %d bytes: want %v", bytes, want)
		}
	}
	first, second, third, fourth := budget.Sending(one), budget.Sending(one), budget.Sending(one), budget.Sending(one)
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

	fifth, sixth := budget.Sending(one), budget.Sending(other)
	var reserving sync.WaitGroup
	for range 64 {
		reserving.Go(func() { reserve(fifth, 16*kib, true) })
	}
	reserving.Wait()
	reserve(fifth, 1, false)
	reserve(sixth, 1024*kib, true) // what the other had is free
	reserve(sixth, 1, false)

	unbounded := client.NewAnswers(0, 0).Sending(one)
	reserve(unbounded, 1<<40, true)
	unbounded.Release()
}

// A client gets as much as it leaves free, and so there is something for one that comes.
func TestAClientGetsItsShare(t *testing.T) {
	t.Parallel()
	one, other := new(client.Share), new(client.Share)
	room := client.Room{Most: 1024 * kib, Small: kib, Full: full}
	holding := func(share *client.Share, bytes int) *client.Reservation {
		r := room.For(share, true)
		if r.Reserve(bytes) != nil {
			return nil
		}
		return r
	}
	first := holding(one, 256*kib)
	second := holding(one, 256*kib)
	if first == nil || second == nil || holding(one, 8*kib) != nil {
		t.Fatal("alone, a client does not get half of the room, or gets more")
	}
	if holding(other, 512*kib) != nil || holding(other, 256*kib) == nil {
		t.Error("the next client does not get half of the rest, or gets more")
	}
	for i := range 20 {
		if holding(new(client.Share), 4*kib) == nil {
			t.Errorf("client %d finds nothing", i)
		}
	}
	if holding(one, kib) == nil {
		t.Error("what takes no room is refused")
	}
	first.Release()
	if holding(one, 256*kib) != nil {
		t.Error("a client has more than its share, which others have made small")
	}
	second.Release()
	if holding(one, 128*kib) == nil {
		t.Error("what was given back is not there")
	}
}

// What is small takes no room, as long as its client has few such reservations.
func TestSmallOnesOfAClientAreCounted(t *testing.T) {
	t.Parallel()
	one, other := new(client.Share), new(client.Share)
	room := client.Room{Most: 1024 * kib, Small: 16 * kib, Full: full}
	var all []*client.Reservation
	reserved := func(share *client.Share) bool {
		all = append(all, room.For(share, true))
		return all[len(all)-1].Reserve(16*kib) == nil
	}
	n := 0
	for reserved(one) {
		n++
	}
	if n != 64+32 { // and half of the room
		t.Errorf("a client has %d", n)
	}
	if !reserved(other) {
		t.Error("another client has none")
	}
	for _, r := range all {
		r.Release()
		r.Release()
	}
	for range 64 + 32 {
		if !reserved(one) {
			t.Fatal("what was given back is not there")
		}
	}
}

// What was made may be sent: its client's share was asked for before.
func TestAnAnswerThatWasMadeIsSent(t *testing.T) {
	t.Parallel()
	one := new(client.Share)
	budget := client.NewAnswers(0, 1024*kib)
	if budget.Making(one).Reserve(1024*kib) == nil {
		t.Error("a client makes an answer that takes all there is")
	}
	if budget.Sending(one).Reserve(1024*kib) != nil {
		t.Error("an answer that was made is not sent")
	}
}

// What an answer has written and what is read for it are bounded each by itself; what it only
// reserves is not.
func TestSpend(t *testing.T) {
	t.Parallel()
	one := new(client.Share)
	making := client.NewAnswers(1000, 0).Making(one)
	if making.Reserve(5000) != nil || !making.Hold(1000) || !making.Spend(600) || !making.Spend(400) || making.Err() != nil {
		t.Error(making.Err())
	}
	if making.Spend(1) || making.Err().Limit != "answer" {
		t.Errorf("one byte too many: %v", making.Err())
	}
	if holding := client.NewAnswers(1000, 0).Making(one); !holding.Spend(1000) || holding.Hold(1001) || holding.Err().Limit != "answer" {
		t.Errorf("one byte too many is read: %v", holding.Err())
	}
	if sending := client.NewAnswers(1000, 0).Sending(one); sending.Reserve(2000) != nil {
		t.Error("an answer that was made is refused for its size")
	}
}

// A large answer reserves at most a MiB more than it has, which is what others may not have.
func TestLittleIsReservedAhead(t *testing.T) {
	t.Parallel()
	one, other := new(client.Share), new(client.Share)
	budget := client.NewAnswers(0, 40<<20)
	if budget.Making(one).Reserve(16<<20+1) != nil {
		t.Fatal("the first is refused")
	}
	if budget.Making(other).Reserve(11<<20) != nil { // 17 MiB are taken, and 23 are free
		t.Error("the second is refused")
	}
}

// Rows wait for those of other answers, in the order in which they came.
func TestRowsWait(t *testing.T) {
	t.Parallel()
	one := new(client.Share)
	synctest.Test(t, func(t *testing.T) {
		budget := client.NewAnswers(0, 0)
		first, second := budget.Making(one), budget.Making(one)
		if err := first.BeginRows(t.Context(), 5000); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var gaveUp error
		began := false
		go func() { gaveUp = second.BeginRows(ctx, 4000) }()
		synctest.Wait()
		go func() { began = second.BeginRows(t.Context(), 3000) == nil }()
		synctest.Wait()
		if began {
			t.Error("a read overtakes one that waits")
		}
		cancel()
		synctest.Wait()
		if gaveUp == nil || !began {
			t.Error("a read that waits does not end with its context, or keeps its rows from others")
		}
		first.EndRows(5000)
		second.EndRows(3000)
		if err := first.BeginRows(t.Context(), 8000); err != nil {
			t.Error(err)
		}
		first.EndRows(8000)
	})
}

// Of a room with a part for each client one may hold as many as that, and one that has no part, such as a proxy, any number.
func TestAClientHasItsPart(t *testing.T) {
	t.Parallel()
	beyond := refusal.New("BEYOND", "the client has its part")
	room := client.Room{Most: 5, PerClient: 2, Full: full, Beyond: beyond}
	one, proxy := new(client.Share), new(client.Share)
	var all []*client.Reservation
	for i, c := range []struct {
		share *client.Share
		fair  bool
		want  *refusal.Error
	}{
		{one, true, nil}, {one, true, nil}, {one, true, beyond},
		{proxy, false, nil}, {proxy, false, nil}, {proxy, false, nil}, {proxy, false, full}, {one, true, full},
	} {
		all = append(all, room.For(c.share, c.fair))
		if got := all[i].Reserve(1); got != c.want {
			t.Errorf("place %d: %v, want %v", i, got, c.want)
		}
	}
	for _, r := range all {
		r.Release()
	}
	late := room.For(new(client.Share), true)
	late.Release()
	late.Of(one, true)
	if late.Reserve(1) != nil || room.Taken() != 0 {
		t.Errorf("%d are taken, and all have left", room.Taken())
	}
}
