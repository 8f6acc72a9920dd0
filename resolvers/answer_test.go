package resolvers_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/client"
	"broadsheet/resolvers"
)

// boundedAPI is newAPI with answers of at most so many bytes, and all together.
func boundedAPI(store blog.Store, answer, answers int) api {
	return attached(graph.NewPlannedSchema, store, io.Discard, client.NewAnswers(answer, answers), newHub(store), resolvers.Config{})
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
	a := boundedAPI(s, 5_000_000, 0)
	for try := range 20 {
		response := a.do(as(t, ""), graphql.RawParams{Query: s.names.expand(t, wideQuery)})
		if len(response.Errors) != 1 || response.Errors[0].Extensions["limit"] != "answer" || response.Data != nil {
			t.Fatalf("try %d: %d bytes, %v", try, len(response.Data), response.Errors)
		}
	}
}

// What an answer takes of the budget is free once it is made: one that fits is answered each
// time.
func TestAnAnswerThatFitsIsAnsweredEachTime(t *testing.T) {
	s := newStub(t)
	s.postByID = large(s, 2_000_000)
	a := boundedAPI(s, 0, 16_000_000)
	for try := range 20 {
		response := a.do(as(t, ""), graphql.RawParams{Query: s.names.expand(t, `{ post(id: "<post:p03>") { version } }`)})
		if len(response.Errors) > 0 {
			t.Fatalf("try %d: %v", try, response.Errors)
		}
	}
}

// Rows that wait for one post, for which there is no room, are all told so, beside each
// other: with the race detector this fails where they write into one error.
func TestRowsDoNotShareAnError(t *testing.T) {
	s := commented(t, 100, 300_000)
	a := boundedAPI(s, 0, 1)
	for range 10 {
		response := a.do(as(t, ""), graphql.RawParams{Query: s.names.expand(t, wideQuery)})
		if len(response.Errors) != 1 || response.Errors[0].Extensions["limit"] != "answers" {
			t.Fatalf("%d bytes, %v", len(response.Data), response.Errors)
		}
	}
}

// Each source of bytes is bounded by itself: here one is large and all others are small.
func TestEachSourceOfBytesIsBounded(t *testing.T) {
	const bytes = 2_000_000
	text := strings.Repeat("x", bytes/100-1) + "."
	long := func(s *stub) {
		post := s.posts["p03"].ID
		comments := make([]blog.Comment, 100)
		for i := range comments {
			comments[i] = blog.Comment{Post: post, ID: blog.CommentID{UUID: blog.FirstUUIDAt(epoch)}, Author: s.users["bob"].Name().Author(), Content: text, UpdatedAt: epoch, Version: 1}
		}
		s.commentsByPost = func() (blog.CommentPage, error) {
			return blog.CommentPage{Page: blog.Page[blog.Comment]{Items: comments}}, nil
		}
	}
	for name, c := range map[string]struct {
		query string
		limit string // whose it is
		large func(*stub)
	}{
		"what is written of texts":               {`{ comments(postId: "<post:p03>", first: 100) { edges { node { content } } } }`, "answer", long},
		"what is read of comments":               {`{ comments(postId: "<post:p03>", first: 100) { edges { node { version } } } }`, "answer", long},
		"what is read of a post":                 {`{ post(id: "<post:p03>") { version } }`, "answers", func(s *stub) { s.postByID = large(s, bytes) }},
		"what is read of the posts of a page":    {`{ feed(first: 25) { edges { node { content } } } }`, "answers", func(s *stub) { s.postByID = large(s, bytes/10) }},
		"what is read of a post by its id":       {`{ node(id: "<post:p03>") { id } }`, "answers", func(s *stub) { s.postByID = large(s, bytes) }},
		"what a mutation answers":                {`mutation { createPost(input: {title: "T", content: "C"}) { post { content } } }`, "answer", func(s *stub) { s.createPost = made(s, bytes) }},
		"what a mutation answers, several times": {`mutation { a: createPost(input: {title: "T", content: "C"}) { post { content } } b: createPost(input: {title: "T", content: "C"}) { post { content } } }`, "answer", func(s *stub) { s.createPost = made(s, bytes*6/10) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			c.large(s)
			ask := func(answer, answers int) (limit any, data int) {
				response := boundedAPI(s, answer, answers).do(as(t, "b"), graphql.RawParams{Query: s.names.expand(t, c.query)})
				if len(response.Errors) > 0 {
					return response.Errors[0].Extensions["limit"], len(response.Data)
				}
				return nil, len(response.Data)
			}
			bounded, free := bytes/2, 1<<40
			if c.limit == "answers" {
				bounded, free = free, bounded
			}
			if limit, data := ask(bounded, free); limit != c.limit || data > bytes/2 {
				t.Errorf("the limit %v was told, and %d bytes were answered", limit, data)
			}
			if limit, _ := ask(1<<40, 1<<40); limit != nil {
				t.Errorf("with room for all of it the limit %v was told", limit)
			}
		})
	}
}

// large makes the text of each post that is read so long.
func large(s *stub, bytes int) func(context.Context, blog.PostID) (blog.Post, error) {
	text := strings.Repeat("x", bytes)
	return func(ctx context.Context, id blog.PostID) (blog.Post, error) {
		p, err := s.Store.PostByID(ctx, id)
		p.Content = text
		return p, err
	}
}

// made makes the text of each new post so long.
func made(s *stub, bytes int) func() (blog.Post, error) {
	text := strings.Repeat("x", bytes)
	return func() (blog.Post, error) {
		p := s.posts["p02"]
		p.Content = text
		return p, nil
	}
}

// So many rows with long texts are read at once, however many are asked for.
func TestRowsThatAreReadAtOnceAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		var reads gauge
		s.commentsByPost = func() (blog.CommentPage, error) {
			reads.during(time.Second)
			return blog.CommentPage{}, nil
		}
		var query strings.Builder
		for i := range 100 {
			fmt.Fprintf(&query, `c%d: comments(postId: "<post:p03>", first: 100) { totalCount } `, i)
		}
		if response := s.ask(as(t, ""), "{"+query.String()+"}"); len(response.Errors) > 0 {
			t.Error(response.Errors)
		}
		if reads.most != 80 {
			t.Errorf("%d pages of 100 comments were read at once, want 80", reads.most)
		}
	})
}

// Whoever has read makes room for others, of the same operation and of all.
func TestRowsThatWereReadMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.commentsByPost = func() (blog.CommentPage, error) { return blog.CommentPage{}, nil }
		a := newAPI(s, &s.log)
		ctx, cancel := context.WithTimeout(as(t, ""), time.Minute)
		defer cancel()
		for range 100 { // of which 80 would be all that may be read
			if response := a.query(ctx, s.names.expand(t, `{ comments(postId: "<post:p03>", first: 100) { totalCount } }`)); len(response.Errors) > 0 {
				t.Fatal(response.Errors)
			}
		}
	})
}
