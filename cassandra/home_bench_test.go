package cassandra_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"broadsheet/blog"
	"broadsheet/internal/testkeyspace"
)

// BenchmarkHome reads the newest 20 posts of 500 who are followed: from a home, and gathered from the 500 lists, beside a
// page of the feed. Medians of what one caller waits.
func BenchmarkHome(b *testing.B) {
	store := testkeyspace.Open(b, testkeyspace.New(b), blog.Options{})
	users := newUsers(b, store, 501)
	reader, authors := users[500], users[:500]
	each(b, 500, func(ctx context.Context, n int) error {
		for range 5 {
			_, err := store.CreatePost(ctx, blog.CreatePost{Author: authors[n].ID, Title: "A title", Content: "Some text."})
			if err != nil {
				return err
			}
		}
		_, _, err := store.FollowUser(ctx, blog.FollowUser{Actor: reader.ID, User: authors[n].ID})
		return err
	})
	must(b, store.Settle(b.Context()))
	var ids []blog.UUID
	for _, a := range authors[:20] {
		ids = append(ids, a.ID.UUID)
	}
	first := blog.FirstPage[blog.PostID](20)
	for b.Loop() {
		feed := median(b, func(ctx context.Context) error { return errorOf(store.Feed(ctx, first)) })
		home := median(b, func(ctx context.Context) error {
			page, err := store.HomeByUser(ctx, reader.ID, first)
			if err == nil {
				_, err = store.FollowedUsers(ctx, reader.ID, ids)
			}
			if err != nil || len(page.Items) != 20 {
				b.Fatal(len(page.Items), err)
			}
			posts, ctx := errgroup.WithContext(ctx)
			for _, h := range page.Items {
				posts.Go(func() error { return errorOf(store.PostByID(ctx, h.Post)) })
			}
			return posts.Wait()
		})
		gathered := median(b, func(ctx context.Context) error {
			lists, ctx := errgroup.WithContext(ctx)
			lists.SetLimit(64)
			for _, a := range authors {
				lists.Go(func() error { return errorOf(store.PostsByAuthor(ctx, a.ID, first)) })
			}
			return lists.Wait()
		})
		b.ReportMetric(float64(feed.Microseconds()), "feed-µs")
		b.ReportMetric(float64(home.Microseconds()), "home-µs")
		b.ReportMetric(float64(gathered.Microseconds()), "gathered-µs")
		b.ReportMetric(float64(home)/float64(feed), "home÷feed")
		b.ReportMetric(float64(gathered)/float64(feed), "gathered÷feed")
	}
	b.ReportMetric(0, "ns/op")
}

func each(b *testing.B, n int, do func(context.Context, int) error) {
	b.Helper()
	all, ctx := errgroup.WithContext(b.Context())
	all.SetLimit(32)
	for i := range n {
		all.Go(func() error { return do(ctx, i) })
	}
	must(b, all.Wait())
}

func median(b *testing.B, do func(context.Context) error) time.Duration {
	b.Helper()
	var took []time.Duration
	for range 100 {
		began := time.Now()
		must(b, do(b.Context()))
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func errorOf[T any](_ T, err error) error { return err }
