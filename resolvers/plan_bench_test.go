package resolvers_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
)

// still answers every query with the same, at once: what remains is GraphQL's own share.
type still struct {
	blog.Store
	user  blog.User
	post  blog.Post
	posts blog.Page[blog.Post]

	comments blog.CommentPage
	likes    blog.ReactionPage
}

// newStill has 100 posts by 10 users, and a post with 20 comments and 20 likes.
func newStill() *still {
	clock := storetest.NewClock(epoch)
	ids := blog.NewIDs(clock, storetest.Random(1))
	s := &still{}
	for range 10 {
		s.user = blog.User{ID: ids.User(), Username: "somebody_else", Version: 1}
	}
	for range 100 {
		s.posts.Items = append(s.posts.Items, blog.Post{
			ID: ids.Post(), Author: s.user.Name().Author(), UpdatedAt: epoch, Version: 1,
			Title:    "What a denormalized table costs, and what it saves",
			Excerpt:  strings.TrimSpace(strings.Repeat("one query, one table ", 9)),
			Comments: blog.Count{N: 12}, Likes: blog.Count{N: 55},
		})
	}
	s.post = s.posts.Items[0]
	s.post.Content = strings.Repeat("One query, one table, one partition. ", 30)
	for range 20 {
		s.comments.Items = append(s.comments.Items, blog.Comment{
			Post: s.post.ID, ID: ids.Comment(), Author: s.post.Author, UpdatedAt: epoch, Version: 1,
			Content: "That is what I have found, too.",
		})
		s.likes.Items = append(s.likes.Items, blog.Reaction{Post: s.post.ID, User: blog.Author{ID: ids.User(), Username: "a_reader"}, At: epoch})
	}
	return s
}

func (s *still) UserByUsername(context.Context, string) (blog.User, error)    { return s.user, nil }
func (s *still) PostByID(context.Context, blog.PostID) (blog.Post, error)     { return s.post, nil }
func (s *still) UserByID(_ context.Context, _ blog.UserID) (blog.User, error) { return s.user, nil }
func (s *still) LikesByPost(_ context.Context, _ blog.PostID, _ blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	return s.likes, nil
}

func (s *still) CommentsByPost(_ context.Context, q blog.CommentsQuery) (blog.CommentPage, error) {
	page := s.comments
	page.Items = page.Items[:min(q.Page.Limit, len(page.Items))]
	return page, nil
}

func (s *still) PostsByAuthor(_ context.Context, _ blog.UserID, r blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return s.Feed(nil, r)
}

func (s *still) Feed(_ context.Context, r blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	page := s.posts
	page.Items = page.Items[:min(r.Limit, len(page.Items))]
	return page, nil
}

// BenchmarkQueries is what GraphQL costs by itself, without store and HTTP: each query
// answered by its plan, and by gqlgen. Documents are parsed before.
func BenchmarkQueries(b *testing.B) {
	store := newStill()
	post := relay.EncodeID(store.post.ID)
	user := relay.EncodeID(store.user.ID)
	for _, query := range []struct{ name, text string }{
		{"Q1", `{ user(username: "somebody_else") { id username displayName bio createdAt version } }`},
		{"Q2", `{ post(id: "POST") { id title content author { id username } createdAt updatedAt version commentCount likeCount } }`},
		{"Q3", `{ userPosts(userId: "USER", first: 20) { edges { cursor node { id title excerpt author { id username } createdAt commentCount likeCount } } pageInfo { hasNextPage endCursor } } }`},
		{"Q4", `{ comments(postId: "POST", first: 20) { totalCount edges { cursor node { id content author { id username } createdAt } } pageInfo { hasNextPage endCursor } } }`},
		{"Q5", `{ likes(postId: "POST", first: 20) { totalCount edges { cursor node { id user { id username } createdAt } } pageInfo { hasNextPage endCursor } } }`},
		{"Q6", `{ feed(first: 100) { edges { cursor node { id title excerpt author { id username } createdAt updatedAt version commentCount likeCount } } pageInfo { hasNextPage endCursor } } }`},
		{"Nested", `{ feed(first: 20) { edges { node { id title excerpt author { id username } createdAt commentCount likeCount comments(first: 5) { edges { node { id content author { id username } createdAt } } } } } pageInfo { hasNextPage endCursor } } }`},
	} {
		text := strings.NewReplacer("POST", post, "USER", user).Replace(query.text)
		for by, schema := range executors {
			b.Run(query.name+"/by="+by, func(b *testing.B) {
				a := newAPIOf(schema, store, io.Discard)
				response := a.query(b.Context(), text)
				if response.Errors != nil {
					b.Fatal(response.Errors)
				}
				b.SetBytes(int64(len(response.Data)))
				b.ReportAllocs()
				for b.Loop() {
					a.query(b.Context(), text)
				}
			})
		}
	}
}

// executors are the two ways to answer a query.
var executors = map[string]func(graph.Config) graphql.ExecutableSchema{
	"plan":   graph.NewPlannedSchema,
	"gqlgen": graph.NewExecutableSchema,
}

// BenchmarkCost estimates what a nested query costs, whose document is parsed.
func BenchmarkCost(b *testing.B) {
	a := newAPI(newStill(), io.Discard)
	op, _, errs := a.documents.Operation(b.Context(), nil, &graphql.RawParams{
		Query: `{ feed(first: 20) { edges { node { id title author { id username } comments(first: 5) { edges { node { id content author { displayName } } } } } } } }`,
	})
	if errs != nil {
		b.Fatal(errs)
	}
	b.ReportAllocs()
	for b.Loop() {
		if costOf(op) == 0 {
			b.Fatal("it costs nothing")
		}
	}
}
