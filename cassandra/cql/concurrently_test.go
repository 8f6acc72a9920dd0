package cql

import (
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
)

func TestPanicOfOneOfSeveralReads(t *testing.T) {
	t.Parallel()
	for panicking := range 3 {
		synctest.Test(t, func(t *testing.T) {
			ended := make([]bool, 3)
			reads := make([]func() error, 3)
			for i := range reads {
				reads[i] = func() error {
					if i == panicking {
						panic("boom")
					}
					time.Sleep(time.Second) // of the bubble's clock
					ended[i] = true
					return nil
				}
			}
			if err := Concurrently(reads...); err == nil || blog.KindOf(err) != blog.Internal {
				t.Errorf("%v, want an internal error", err)
			}
			for i := range reads {
				if i != panicking && !ended[i] {
					t.Errorf("it did not wait for read %d", i)
				}
			}
		})
	}
}
