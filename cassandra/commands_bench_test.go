package cassandra_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/testkeyspace"
)

// BenchmarkLoneWriter has one account write, one command after the other, and reports the statements of each, those
// behind its reply included. On the double of a node, unless the environment names a real one.
func BenchmarkLoneWriter(b *testing.B) {
	config := testkeyspace.Own(b)
	config.AccountAge = blog.AccountAge
	var made recorder
	store := testkeyspace.Open(b, config, blog.Options{Observer: &made})
	author, writer := testkeyspace.NewUser(b, store), testkeyspace.NewUser(b, store)
	p := testkeyspace.NewPost(b, store, author)
	var posts []blog.Post // that the author likes, and the writer not yet
	for name, do := range map[string]func() error{
		"comment": func() error {
			_, _, err := store.CreateComment(b.Context(), blog.CreateComment{Author: writer.ID, Post: p.ID, Content: "A comment."})
			return err
		},
		"like": func() error {
			of := posts[0]
			posts = posts[1:]
			_, _, err := store.LikePost(b.Context(), blog.LikePost{Actor: writer.ID, Post: of.ID})
			return err
		},
		"post": func() error {
			_, err := store.CreatePost(b.Context(), blog.CreatePost{Author: writer.ID, Title: "A title", Content: "Some content."})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for posts = nil; name == "like" && len(posts) < b.N; {
				posts = append(posts, testkeyspace.NewPost(b, store, author))
				_, _, err := store.LikePost(b.Context(), blog.LikePost{Actor: author.ID, Post: posts[len(posts)-1].ID})
				must(b, err)
			}
			must(b, store.Settle(b.Context()))
			made.take()
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				must(b, do())
			}
			must(b, store.Settle(b.Context()))
			n := 0
			for _, s := range made.take() {
				if !s.Share {
					n++
				}
			}
			b.ReportMetric(float64(n)/float64(b.N), "statements/op")
		})
	}
}
