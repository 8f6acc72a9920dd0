package resolvers_test

import (
	"sync"
	"testing"

	"broadsheet/resolvers"
)

func TestRoom(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	room := resolvers.Room{Most: 1024 * kib}
	take := func(share *resolvers.Share, bytes int, want bool) {
		t.Helper()
		if share.Take(bytes) != want || share.Refused() == want {
			t.Errorf("taking %d bytes: want %v", bytes, want)
		}
	}
	first, second, third, fourth := room.Writing(), room.Writing(), room.Writing(), room.Writing()
	take(first, 200*kib, true)  // needs no room
	take(first, 156*kib, true)  // 256 KiB are reserved
	take(second, 600*kib, true) // 768 KiB: all the rest
	take(third, 256*kib, true)
	take(third, 1, false)
	first.Free()
	take(third, 1, false) // once refused
	take(fourth, 300*kib, true)
	take(first, 1000*kib, true) // nobody waits for it
	fourth.Free()
	second.Free()
	second.Free()

	fifth, sixth := room.Writing(), room.Writing()
	var taking sync.WaitGroup
	for range 64 {
		taking.Go(func() { take(fifth, 16*kib, true) })
	}
	taking.Wait()
	take(fifth, 1, false)
	take(sixth, 1024*kib, true) // what the other had is free
	take(sixth, 1, false)

	none := (&resolvers.Room{}).Writing()
	take(none, 1<<40, true)
	none.Free()
}
