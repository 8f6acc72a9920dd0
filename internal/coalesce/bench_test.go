package coalesce_test

import (
	"context"
	"testing"

	"broadsheet/internal/coalesce"
)

func read(context.Context) (int, error) { return 1, nil }

// BenchmarkAlone is what a call pays that finds a slot.
func BenchmarkAlone(b *testing.B) {
	for name, next := range map[string]*coalesce.Next[int, int]{
		"keys apart":    {},
		"keys together": {Many: func(context.Context, []int) (map[int]int, error) { return nil, nil }, Batching: coalesce.Batching{Slots: 4}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := next.Do(b.Context(), 1, read); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A call that finds a slot allocates nothing.
func TestAloneNothingIsAllocated(t *testing.T) {
	for name, next := range map[string]*coalesce.Next[int, int]{
		"keys apart":    {},
		"keys together": {Many: func(context.Context, []int) (map[int]int, error) { return nil, nil }, Batching: coalesce.Batching{Slots: 4}},
	} {
		ctx := t.Context()
		if n := testing.AllocsPerRun(1000, func() { _, _ = next.Do(ctx, 1, read) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
