package embedded

import (
	"fmt"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

// Outcomes do not pile up: later keyed commands remove those that expired.
func TestExpiredKeysGo(t *testing.T) {
	clock := storetest.NewClock(time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC))
	s, err := InMemory(Options{Options: blog.Options{Clock: clock}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keyed := func(i int) {
		key := fmt.Sprint("key ", i)
		if _, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: key, Username: fmt.Sprint("user_", i), IdempotencyKey: &key}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		keyed(i)
	}
	held := func(want int) {
		t.Helper()
		for _, table := range []*table{idempotencyKeys, idempotencyExpiry} {
			rows := 0
			if err := s.scan(t.Context(), table, func(_, _ []byte) error { rows++; return nil }); err != nil {
				t.Fatal(err)
			}
			if rows != want {
				t.Errorf("%s holds %d outcomes, want %d", table.name, rows, want)
			}
		}
	}
	clock.Advance(keysLive + time.Second)
	keyed(100)
	held(100 + 1 - forgottenAtOnce) // one command does a little of it
	for i := 1; i < 40; i++ {
		keyed(100 + i)
	}
	held(40)
}
