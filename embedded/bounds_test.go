package embedded_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
)

func TestBounds(t *testing.T) {
	leakless(t)
	storetest.Bounds(t, inMemory, func(t *testing.T, store blog.Store, post blog.PostRef, held storetest.Held) {
		t.Helper()
		if err := store.(*embedded.Store).SetCounts(t.Context(), post, held.Comments, held.CommentBytes, held.Of, held.To, held.Reactions); err != nil {
			t.Fatal(err)
		}
	})
}
