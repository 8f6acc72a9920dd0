package cql

import (
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
)

func TestBatchesAreSplitBelowTheLimit(t *testing.T) {
	t.Parallel()
	long := On(blog.PostsByID, "…").With(strings.Repeat("x", MaxBatchBytes/2))
	short := On(blog.PostsByID, "…").With(1)
	for name, c := range map[string]struct {
		entries []Bound
		want    []int
	}{
		"one":                   {[]Bound{short}, []int{1}},
		"what fits":             {[]Bound{short, long, short}, []int{3}},
		"two that do not":       {[]Bound{long, long}, []int{1, 1}},
		"one that fits nowhere": {[]Bound{short, On(blog.PostsByID, "…").With(strings.Repeat("x", 2*MaxBatchBytes)), short}, []int{1, 1, 1}},
	} {
		var got []int
		for left := c.entries; len(left) > 0; {
			var part []Bound
			part, left = Split(left)
			got = append(got, len(part))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: parts of %v entries, want %v", name, got, c.want)
		}
	}
}

func TestSizeCountsTexts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 20_000)
	for _, args := range [][]any{{1, text}, {1, &text}} {
		if size := (Statement{}).With(args...).Size(); size < 20_000 {
			t.Errorf("an entry of 20,000 bytes counts as %d", size)
		}
	}
	if size := (Statement{}).With((*string)(nil)).Size(); size > 100 {
		t.Errorf("a null counts as %d", size)
	}
}

// Two entries write the same cells where statement and row are the same, whatever the values.
func TestCellsOfAnEntry(t *testing.T) {
	t.Parallel()
	count, name := On(blog.PostsByID, "count"), On(blog.PostsByID, "name")
	first := count.With(int64(100), 1).Of(1, "post")
	if again := count.With(int64(200), 2).Of(1, "post"); first.Cells() != again.Cells() || again.Stamp() != 200 {
		t.Errorf("%v at %d, want %v at 200", again.Cells(), again.Stamp(), first.Cells())
	}
	for _, other := range []Bound{count.With(int64(100), 1).Of(1, "another"), name.With(int64(100), 1).Of(1, "post")} {
		if first.Cells() == other.Cells() {
			t.Errorf("%v and %v write the same cells", first, other)
		}
	}
}
