package resolvers_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/resolvers"
)

// boundedAPI is newAPI with answers of at most so many bytes, in so much room.
func boundedAPI(store blog.Store, maxAnswer int64, room *resolvers.Room) api {
	return attached(graph.NewPlannedSchema, store, io.Discard, maxAnswer, room)
}

// commented gives the post p03 of a stub so many comments more, and its text so many bytes.
func commented(t *testing.T, comments, bytes int) *stub {
	s := newStub(t)
	text := strings.Repeat("x", bytes-1) + "."
	s.userByID = func(ctx context.Context, id blog.UserID) (blog.User, error) {
		u, err := s.Store.UserByID(ctx, id)
		u.Bio = &text
		return u, err
	}
	s.postByID = func(ctx context.Context, id blog.PostID) (blog.Post, error) {
		p, err := s.Store.PostByID(ctx, id)
		p.Content = text
		return p, err
	}
	for i := range comments {
		s.comment("more"+string(rune('a'+i%26))+strings.Repeat("x", i/26), "p03", author(i))
	}
	return s
}

const wideQuery = `{ comments(postId: "<post:p03>", first: 100) { edges { node { content post { content author { bio } } } } } }`

// The same question is refused each time for its size: the first time, when whatever is kept
// for the next answer is empty, and every time after.
func TestAnswerIsRefusedForItsSizeEachTime(t *testing.T) {
	s := commented(t, 100, 30_000)
	a := boundedAPI(s, 5_000_000, &resolvers.Room{})
	for try := range 20 {
		response := a.do(as(t, ""), graphql.RawParams{Query: s.names.expand(t, wideQuery)})
		if len(response.Errors) != 1 || response.Errors[0].Extensions["limit"] != "answer" || response.Data != nil {
			t.Fatalf("try %d: %d bytes, %v", try, len(response.Data), response.Errors)
		}
	}
}

// Rows that wait for one post, for which there is no room, are all told so, beside each
// other: with the race detector this fails where they write into one error.
func TestRowsDoNotShareAnError(t *testing.T) {
	s := commented(t, 100, 300_000)
	a := boundedAPI(s, 0, &resolvers.Room{Most: 1})
	for range 10 {
		response := a.do(as(t, ""), graphql.RawParams{Query: s.names.expand(t, wideQuery)})
		if len(response.Errors) != 1 || response.Errors[0].Extensions["limit"] != "answers" {
			t.Fatalf("%d bytes, %v", len(response.Data), response.Errors)
		}
	}
}
