package decorate_test

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/decorate"
	"broadsheet/internal/storetest"
)

// question is a query with what it asks for.
type question struct {
	what string
	ask  func(context.Context, blog.Queries) (any, error)
}

// Reads that differ in one thing are under way at once, each several times: each is answered
// as the store answers it.
func TestDifferentQueriesShareNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewModel(blog.Options{})
		for _, alike := range differing(t, store) {
			differ(t, store, alike)
		}
	})
}

// differ asks questions that are alike, the first one last as well as first.
func differ(t *testing.T, store blog.Store, alike []question) {
	t.Helper()
	var want []any
	for _, q := range alike {
		answer := answerOf(t.Context(), q, store)
		for j, other := range want {
			if reflect.DeepEqual(answer, other) {
				t.Errorf("%s and %s have the same answer: it proves nothing", q.what, alike[j].what)
			}
		}
		want = append(want, answer)
	}
	all := make(chan struct{})
	shared := decorate.Share(storetest.Before(store, func(context.Context, string) { <-all }), slog.New(slog.DiscardHandler), func(string) interface{ Inc() } { return nil })
	var asking sync.WaitGroup
	for range 3 {
		for i, q := range alike {
			asking.Go(func() {
				if got := answerOf(t.Context(), q, shared); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%s beside others: %v, want %v", q.what, got, want[i])
				}
			})
			synctest.Wait()
		}
	}
	close(all)
	asking.Wait()
}

// answerOf returns what a question is answered, or the kind of its refusal.
func answerOf(ctx context.Context, q question, store blog.Queries) any {
	answer, err := q.ask(ctx, store)
	if err != nil {
		return blog.KindOf(err)
	}
	return answer
}

// pages are requests for pages of a list, each of which differs from another in one thing.
func pages[K any](keys []K, at func(K) time.Time) map[string]blog.PageRequest[K] {
	return map[string]blog.PageRequest[K]{
		"first":            {Limit: 2},
		"longer":           {Limit: 3},
		"backward":         {Limit: 2, Backward: true},
		"after":            {Limit: 2, After: &keys[1]},
		"after another":    {Limit: 2, After: &keys[2]},
		"before":           {Limit: 2, Backward: true, Before: &keys[3]},
		"before another":   {Limit: 2, Backward: true, Before: &keys[6]},
		"between":          {Limit: 2, After: &keys[0], Before: &keys[2]},
		"between, further": {Limit: 2, After: &keys[0], Before: &keys[3]},
		"oldest first":     {Limit: 2, Order: blog.OldestFirst},
		"from":             {Limit: 2, Backward: true, From: at(keys[1])},
		"from earlier":     {Limit: 2, Backward: true, From: at(keys[3])},
		"to":               {Limit: 3, To: at(keys[1])},
		"to earlier":       {Limit: 3, To: at(keys[2])},
	}
}

// questions ask for each of some keys.
func questions[K, V any](name string, keys map[string]K, query func(context.Context, blog.Queries, K) (V, error)) (all []question) {
	for what, key := range keys {
		all = append(all, question{name + ", " + what, func(ctx context.Context, q blog.Queries) (any, error) { return query(ctx, q, key) }})
	}
	return all
}

// differing fills a store, and returns groups of queries that differ in one thing each.
func differing(t *testing.T, store blog.Store) [][]question {
	const rows = 7
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var users []blog.User
	for i := range rows {
		u, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: fmt.Sprint("subject", i), Username: fmt.Sprint("user", i)})
		must(err)
		users = append(users, u)
	}
	var posts []blog.Post // newest first
	var postIDs []blog.PostID
	for i := range rows {
		time.Sleep(time.Second)
		p, err := store.CreatePost(t.Context(), blog.CreatePost{Author: users[0].ID, Title: fmt.Sprint(i), Content: "c"})
		must(err)
		posts, postIDs = append([]blog.Post{p}, posts...), append([]blog.PostID{p.ID}, postIDs...)
	}
	_, err := store.CreatePost(t.Context(), blog.CreatePost{Author: users[1].ID, Title: "another", Content: "c"})
	must(err)
	var comments []blog.Comment // newest first
	var commentIDs []blog.CommentID
	var likes []blog.ReactionPosition
	for i := range rows {
		time.Sleep(time.Second)
		c, _, err := store.CreateComment(t.Context(), blog.CreateComment{Author: users[2].ID, Post: posts[0].ID, Content: fmt.Sprint(i)})
		must(err)
		comments, commentIDs = append([]blog.Comment{c}, comments...), append([]blog.CommentID{c.ID}, commentIDs...)
		l, _, err := store.LikePost(t.Context(), blog.LikePost{Actor: users[i].ID, Post: posts[0].ID})
		must(err)
		likes = append([]blog.ReactionPosition{l.Position()}, likes...)
	}
	other, _, err := store.CreateComment(t.Context(), blog.CreateComment{Author: users[3].ID, Post: posts[1].ID, Content: "another"})
	must(err)
	_, _, err = store.LikePost(t.Context(), blog.LikePost{Actor: users[0].ID, Post: posts[1].ID})
	must(err)

	groups := [][]question{
		questions("UserByID", map[string]blog.UserID{"one": users[0].ID, "another": users[1].ID}, func(ctx context.Context, q blog.Queries, id blog.UserID) (blog.User, error) {
			return q.UserByID(ctx, id)
		}),
		questions("UserByUsername", map[string]string{"one": "user0", "another": "user1"}, func(ctx context.Context, q blog.Queries, name string) (blog.User, error) {
			return q.UserByUsername(ctx, name)
		}),
		questions("UserBySubject", map[string]string{"one": "subject0", "another": "subject1"}, func(ctx context.Context, q blog.Queries, s string) (blog.User, error) { return q.UserBySubject(ctx, s) }),
		questions("PostByID", map[string]blog.PostID{"one": posts[0].ID, "another": posts[1].ID}, func(ctx context.Context, q blog.Queries, id blog.PostID) (blog.Post, error) {
			return q.PostByID(ctx, id)
		}),
		questions("CommentByKey", map[string]blog.CommentKey{"one": comments[0].Key(), "another": comments[1].Key(), "of another post": other.Key(), "not of this post": {Post: posts[1].ID, Comment: comments[0].ID}}, func(ctx context.Context, q blog.Queries, k blog.CommentKey) (blog.Comment, error) {
			return q.CommentByKey(ctx, k)
		}),
		questions("LikedPosts", map[string]blog.UserID{"of one": users[0].ID, "of another": users[1].ID}, func(ctx context.Context, q blog.Queries, id blog.UserID) (map[blog.UUID]blog.Reaction, error) {
			return q.LikedPosts(ctx, id, storetest.UUIDs(postIDs[:2]...))
		}),
		questions("Feed", pages(postIDs, blog.PostID.Time), func(ctx context.Context, q blog.Queries, p blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
			return q.Feed(ctx, p)
		}),
		questions("PostsByAuthor", pages(postIDs, blog.PostID.Time), func(ctx context.Context, q blog.Queries, p blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
			return q.PostsByAuthor(ctx, users[0].ID, p)
		}),
		questions("PostsByAuthor", map[string]blog.UserID{"of one": users[0].ID, "of another": users[1].ID}, func(ctx context.Context, q blog.Queries, id blog.UserID) (blog.Page[blog.Post], error) {
			return q.PostsByAuthor(ctx, id, blog.FirstPage[blog.PostID](2))
		}),
		questions("CommentsByAuthor", pages(commentIDs, blog.CommentID.Time), func(ctx context.Context, q blog.Queries, p blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
			return q.CommentsByAuthor(ctx, users[2].ID, p)
		}),
		questions("CommentsByAuthor", map[string]blog.UserID{"of one": users[2].ID, "of another": users[3].ID}, func(ctx context.Context, q blog.Queries, id blog.UserID) (blog.Page[blog.Comment], error) {
			return q.CommentsByAuthor(ctx, id, blog.FirstPage[blog.CommentID](2))
		}),
		questions("LikesByPost", pages(likes, func(l blog.ReactionPosition) time.Time { return l.At }), func(ctx context.Context, q blog.Queries, p blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
			return q.LikesByPost(ctx, posts[0].ID, p)
		}),
		questions("LikesByPost", map[string]blog.PostID{"of one": posts[0].ID, "of another": posts[1].ID}, func(ctx context.Context, q blog.Queries, id blog.PostID) (blog.ReactionPage, error) {
			return q.LikesByPost(ctx, id, blog.FirstPage[blog.ReactionPosition](2))
		}),
		questions("CommentsByPost", pages(commentIDs, blog.CommentID.Time), func(ctx context.Context, q blog.Queries, p blog.PageRequest[blog.CommentID]) (blog.CommentPage, error) {
			return q.CommentsByPost(ctx, blog.CommentsQuery{Post: posts[0].ID, Page: p})
		}),
		questions("CommentsByPost", map[string]blog.PostID{"of one": posts[0].ID, "of another": posts[1].ID}, func(ctx context.Context, q blog.Queries, id blog.PostID) (blog.CommentPage, error) {
			return q.CommentsByPost(ctx, blog.CommentsQuery{Post: id, Page: blog.FirstPage[blog.CommentID](2)})
		}),
	}
	return groups
}
