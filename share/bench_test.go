package share_test

import (
	"context"
	"testing"

	"broadsheet/share"
)

// BenchmarkAlone is what a read pays that nobody shares.
func BenchmarkAlone(b *testing.B) {
	var reads share.Reads[int, int]
	read := func(context.Context) (int, error) { return 1, nil }
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reads.Do(b.Context(), 1, read); err != nil {
			b.Fatal(err)
		}
	}
}
