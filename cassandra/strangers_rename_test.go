package cassandra_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// How long the former name of an account with one post stays taken: on a quiet server, beside 25 renames
// of an account with posts, and beside the deletions of twelve posts with comments.
func TestStrangersRename(t *testing.T) {
	t.Parallel()
	strangersRename(t, 50, 10)
}

// TestSoakStrangersRename is TestStrangersRename with 2,000 posts, and 300 comments each.
func TestSoakStrangersRename(t *testing.T) {
	storetest.Soaks(t)
	strangersRename(t, 2_000, 300)
}

func strangersRename(t *testing.T, posts, comments int) {
	store := testkeyspace.Open(t, testkeyspace.New(t), blog.Options{})
	large, _ := prolific(t, store, size{posts: posts})
	author := testkeyspace.NewUser(t, store)
	var deleted []blog.Post
	for range 12 {
		post := testkeyspace.NewPost(t, store, author)
		deleted = append(deleted, post)
		atOnce(t, comments, func(i int) error {
			_, _, err := store.CreateComment(t.Context(), blog.CreateComment{Author: large.ID, Post: post.ID, Content: "c"})
			return err
		})
	}
	must(t, store.Settle(t.Context()))
	quiet := freed(t, store, 21)
	t.Logf("quiet: p50 %v, longest %v", quiet[10], quiet[20])

	for i := range 25 {
		rename(t, store, large.ID, fmt.Sprintf("%.20s_%d", large.Username, i))
	}
	walking := freed(t, store, 9)
	t.Logf("beside renames: p50 %v, longest %v; %d run still", walking[4], walking[8], store.Upkeep().Jobs[blog.RenameJob].Running)
	must(t, store.Settle(t.Context()))

	for _, post := range deleted {
		must(t, store.DeletePost(t.Context(), blog.DeletePost{Actor: author.ID, Post: post.ID}))
	}
	sweeping := freed(t, store, 9)
	t.Logf("beside deletions: p50 %v, longest %v; %d run still", sweeping[4], sweeping[8], store.Upkeep().Jobs[blog.SweepJob].Running)
}

// freed renames so many accounts, one after the other, and returns how long each one's former name
// stayed taken, in order.
func freed(t *testing.T, store *cassandra.Store, n int) (took []time.Duration) {
	t.Helper()
	for range n {
		user := testkeyspace.NewUser(t, store)
		testkeyspace.NewPost(t, store, user)
		began := time.Now()
		rename(t, store, user.ID, user.Username[:20]+"_b")
		heir := blog.CreateUser{Subject: user.Username + "/heir", Username: user.Username}
		for {
			_, err := store.CreateUser(t.Context(), heir)
			if err == nil {
				break
			}
			if blog.KindOf(err) != blog.Taken {
				t.Fatal(err)
			}
		}
		took = append(took, time.Since(began).Round(100*time.Microsecond))
	}
	slices.Sort(took)
	return took
}
