package relay_test

import (
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
)

func postIDs(n int) []blog.PostID {
	ids := blog.NewIDs(blog.SystemClock{}, storetest.Random(1))
	posts := make([]blog.PostID, n)
	for i := range posts {
		posts[i] = ids.Post()
	}
	return posts
}

// BenchmarkCursors makes those of a page of 100.
func BenchmarkCursors(b *testing.B) {
	posts := postIDs(100)
	b.ReportAllocs()
	for b.Loop() {
		relay.Feed(blog.NewestFirst).Cursors(posts...)
	}
}

func BenchmarkReadCursor(b *testing.B) {
	cursor := relay.Feed(blog.NewestFirst).Cursor(postIDs(1)[0])
	b.ReportAllocs()
	for b.Loop() {
		if _, err := relay.Feed(blog.NewestFirst).Position(cursor); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendID(b *testing.B) {
	post, buffer := postIDs(1)[0], make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		buffer = relay.Append(buffer[:0], post)
	}
}

func BenchmarkReadID(b *testing.B) {
	id := relay.EncodeID(postIDs(1)[0])
	b.ReportAllocs()
	for b.Loop() {
		if _, err := relay.DecodeID[blog.PostID](id); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendString appends an excerpt's length of text as JSON.
func BenchmarkAppendString(b *testing.B) {
	for name, text := range map[string]string{
		"plain":   strings.Repeat("one query, one table ", 10),
		"escaped": strings.Repeat("one \"query\",\none table ", 10),
	} {
		b.Run(name, func(b *testing.B) {
			buffer := make([]byte, 0, 1024)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				buffer = relay.AppendString(buffer[:0], text)
			}
		})
	}
}
