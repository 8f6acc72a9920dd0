package embedded_test

import (
	"fmt"
	"runtime/debug"
	"testing"

	"broadsheet/blog"
)

// A row of a page takes a share of the page's memory, not memory of its own.
func TestARowAddsNoAllocations(t *testing.T) {
	s := inMemory(t, blog.Options{})
	author, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "ada", Username: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if _, err := s.CreatePost(t.Context(), blog.CreatePost{Author: author.ID, Title: fmt.Sprint("title ", i), Content: "some words"}); err != nil {
			t.Fatal(err)
		}
	}
	// What is counted is the whole process's: stores that other tests left flush. The least
	// of many single runs is the page's own.
	allocations := func(posts int) float64 {
		return leastAllocations(50, func() {
			if page, err := s.Feed(t.Context(), blog.FirstPage[blog.PostID](posts)); err != nil || len(page.Items) != posts {
				t.Errorf("%d posts of %d: %v", len(page.Items), posts, err)
			}
		})
	}
	const another = 2 * 90 // the race detector's, and Pebble's own with it; a row decoded by itself takes ten
	if ten, hundred := allocations(10), allocations(100); hundred > ten+another {
		t.Errorf("a page of 10 posts takes %v allocations, one of 100 takes %v", ten, hundred)
	}
}

// leastAllocations is without the garbage collector, which empties Pebble's pools: on a
// machine with other work it may do so in every run.
func leastAllocations(runs int, f func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := testing.AllocsPerRun(1, f)
	for range runs {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}
