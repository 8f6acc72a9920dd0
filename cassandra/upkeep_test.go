package cassandra_test

import (
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/testkeyspace"
)

// The largest partition of a table is known as a node says, which a real one does of its files alone.
func TestLargestPartition(t *testing.T) {
	t.Parallel()
	store := open(t, blog.Options{})
	author := testkeyspace.NewUser(t, store)
	post := testkeyspace.NewPost(t, store, author)
	for range 110 {
		if _, _, err := store.CreateComment(t.Context(), blog.CreateComment{Author: author.ID, Post: post.ID, Content: strings.Repeat("c", blog.MaxComment)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.KeepCheckpoints(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, known := store.Upkeep().Partitions[blog.CommentsByPost]
	if known != cassandratest.Doubled(t) || known && got != 1<<20 {
		t.Errorf("%d bytes, known: %v", got, known)
	}
}
