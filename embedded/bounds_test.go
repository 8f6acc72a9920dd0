package embedded_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
	"broadsheet/embedded"
)

func TestBounds(t *testing.T) {
	leakless(t)
	blogtest.Bounds(t, inMemory, func(t *testing.T, store blog.Store, post blog.PostRef, comments, likes int) {
		t.Helper()
		if err := store.(*embedded.Store).SetCounts(t.Context(), post, comments, likes); err != nil {
			t.Fatal(err)
		}
	})
}
