package decorate_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/decorate"
	"broadsheet/internal/storetest"
)

func shared(t *testing.T, options blog.Options) blog.Store {
	store, err := embedded.InMemory(embedded.Options{Options: options, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return decorate.Share(store, slog.New(slog.DiscardHandler), func(string) interface{ Inc() } { return nil })
}

// A store that shares its reads is a store like any other.
func TestStore(t *testing.T) { storetest.Run(t, shared) }

// Whoever was told that a write succeeded sees it, however many read the same.
func TestOwnWritesAreRead(t *testing.T) {
	t.Parallel()
	store := shared(t, blog.Options{})
	author, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: "author", Username: "author"})
	if err != nil {
		t.Fatal(err)
	}
	post, err := store.CreatePost(t.Context(), blog.CreatePost{Author: author.ID, Title: "T", Content: "c"})
	if err != nil {
		t.Fatal(err)
	}
	query := blog.CommentsQuery{Post: post.ID, Page: blog.FirstPage[blog.CommentID](blog.MaxPage)}
	ctx, stop := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for range 16 {
		readers.Go(func() {
			for ctx.Err() == nil {
				_, _ = store.CommentsByPost(ctx, query)
			}
		})
	}
	for range 4 {
		writers.Go(func() {
			for range 50 {
				comment, count, err := store.CreateComment(t.Context(), blog.CreateComment{Author: author.ID, Post: post.ID, Content: "c"})
				if err != nil {
					t.Error(err)
					return
				}
				page, err := store.CommentsByPost(t.Context(), query)
				if err != nil {
					t.Error(err)
					return
				}
				if page.Count.N < count.N || !holds(page.Items, comment.ID) && page.Count.N <= blog.MaxPage {
					t.Errorf("comment %d of %d is not on the page", count.N, page.Count.N)
				}
			}
		})
	}
	writers.Wait()
	stop()
	readers.Wait()
}

func holds(comments []blog.Comment, id blog.CommentID) bool {
	for _, c := range comments {
		if c.ID == id {
			return true
		}
	}
	return false
}
