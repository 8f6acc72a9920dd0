package embedded_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
)

// A machine's clock that is set back between two starts dates new rows into a range of which
// all was deleted. They are shown all the same.
func TestRowsThatComeIntoAGap(t *testing.T) {
	leakless(t)
	dir := t.TempDir()
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	clock := storetest.NewClock(noon)
	seed := storetest.Seed(t)
	var store *embedded.Store
	reopen := func(start uint64) {
		if store != nil {
			must(t, store.Close())
		}
		var err error
		store, err = embedded.Open(dir, embedded.Options{Log: quiet, Options: blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(seed, start))}})
		must(t, err)
	}
	reopen(1)
	ctx := t.Context()
	ada, err := store.CreateUser(ctx, blog.CreateUser{Subject: "ada", Username: "Ada"})
	must(t, err)
	kept, err := store.CreatePost(ctx, blog.CreatePost{Author: ada.ID, Title: "Kept", Content: "x"})
	must(t, err)
	for i := range 400 {
		clock.Set(noon.Add(time.Duration(i+1) * time.Second))
		p, err := store.CreatePost(ctx, blog.CreatePost{Author: ada.ID, Title: "Gone", Content: "x"})
		must(t, err)
		c, _, err := store.CreateComment(ctx, blog.CreateComment{Author: ada.ID, Post: kept.ID, Content: "x"})
		must(t, err)
		_, err = store.DeleteComment(ctx, blog.DeleteComment{Actor: ada.ID, Key: c.Key()})
		must(t, err)
		must(t, store.DeletePost(ctx, blog.DeletePost{Actor: ada.ID, Post: p.ID}))
	}
	shown := func() string {
		posts, err := store.PostsByAuthor(ctx, ada.ID, blog.FirstPage[blog.PostID](5))
		must(t, err)
		feed, err := store.Feed(ctx, blog.FirstPage[blog.PostID](5))
		must(t, err)
		comments, err := store.CommentsByPost(ctx, blog.CommentsQuery{Post: kept.ID, Page: blog.FirstPage[blog.CommentID](5)})
		must(t, err)
		own, err := store.CommentsByAuthor(ctx, ada.ID, blog.FirstPage[blog.CommentID](5))
		must(t, err)
		must(t, store.Settle(ctx))
		return fmt.Sprint(len(posts.Items), len(feed.Items), len(comments.Items), len(own.Items))
	}
	for range 2 {
		if got := shown(); got != "1 1 0 0" {
			t.Fatalf("posts, feed, comments and own comments: %s, want 1 1 0 0", got)
		}
	}
	clock.Set(noon.Add(200*time.Second + 500*time.Millisecond))
	reopen(2)
	_, err = store.CreatePost(ctx, blog.CreatePost{Author: ada.ID, Title: "Late", Content: "x"})
	must(t, err)
	_, _, err = store.CreateComment(ctx, blog.CreateComment{Author: ada.ID, Post: kept.ID, Content: "x"})
	must(t, err)
	for range 2 {
		if got := shown(); got != "2 2 1 1" {
			t.Errorf("after the clock was set back, posts, feed, comments and own comments: %s, want 2 2 1 1", got)
		}
	}
	found, err := audit.Verify(ctx, store, nil)
	must(t, err)
	if found.Drifted() > 0 {
		t.Errorf("%d rows have drifted", found.Drifted())
	}
	must(t, store.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A page beside 101,000 deleted posts and one beside 12,000 deleted comments, all of them by
// commands.
func TestSoakDeletedRows(t *testing.T) {
	if os.Getenv("BROADSHEET_SOAK") == "" {
		t.Skip("BROADSHEET_SOAK is not set: this takes minutes; `make soak` runs it")
	}
	storetest.DeletedRows(t, inMemory, nil)
}
