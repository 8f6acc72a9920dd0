package embedded

import (
	"fmt"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
)

// Outcomes do not pile up: later keyed commands remove those that expired.
func TestExpiredKeysGo(t *testing.T) {
	clock := blogtest.NewClock(time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC))
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
	clock.Advance(keysLive + time.Second)
	for i := range 40 {
		keyed(100 + i)
	}
	for _, table := range []*table{idempotencyKeys, idempotencyExpiry} {
		rows := 0
		if err := s.scan(t.Context(), table, func(_, _ []byte) error { rows++; return nil }); err != nil {
			t.Fatal(err)
		}
		if rows != 40 {
			t.Errorf("%s holds %d outcomes, want the last 40", table.name, rows)
		}
	}
}
