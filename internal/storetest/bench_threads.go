package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"broadsheet/blog"
)

// Written is a store to which copies can be written, whatever the truths say.
type Written interface {
	blog.Store
	WriteCopies(ctx context.Context, copies []blog.Copy) error
}

// BenchThreads measures a page of 50 of what stands below a comment, on a post of few comments, and on one of many.
func BenchThreads(b *testing.B, store Written) {
	author, err := store.CreateUser(b.Context(), blog.CreateUser{Subject: "ann", Username: "ann"})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{100, 100_000} {
		post, err := store.CreatePost(b.Context(), blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some text."})
		if err != nil {
			b.Fatal(err)
		}
		under := writeThreads(b, store, post.ID, author, n)
		b.Run(fmt.Sprintf("of %d", n), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				page, err := store.CommentsByThread(b.Context(), blog.ThreadQuery{Post: post.ID, Under: under, Page: blog.FirstPage[blog.Path](50)})
				if took = append(took, time.Since(began)); err != nil || len(page.Items) != 50 {
					b.Fatal(len(page.Items), err)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
		})
	}
}

// writeThreads writes conversations of 50 comments, and returns where one in their middle begins.
func writeThreads(b *testing.B, store Written, post blog.PostID, author blog.User, n int) (middle blog.Path) {
	b.Helper()
	ids := blog.NewIDs(blog.SystemClock{}, rand.Reader)
	var waiting []blog.Copy
	var root blog.Comment
	for i := range n {
		parent := root
		if i%50 == 0 {
			parent = blog.Comment{}
		}
		c := blog.CreateComment{Post: post, Content: "A comment of some words, as they are."}.Comment(ids.Comment(), author.Name().Author(), parent)
		if i%50 == 0 {
			root = c
		}
		if i == n/100*50 {
			middle = c.Place()
		}
		for _, row := range append(blog.CopiesOfComment(c, c.ID.Stamp()), blog.NameOfComment(c, author.Name())...) {
			if row.Family.Table == blog.CommentsByThread {
				waiting = append(waiting, row)
			}
		}
		if len(waiting) < 100 && i < n-1 {
			continue
		}
		if err := store.WriteCopies(b.Context(), waiting); err != nil {
			b.Fatal(err)
		}
		waiting = waiting[:0]
	}
	return middle
}
