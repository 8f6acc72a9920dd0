package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
)

// Two viewers and somebody without a token say the same, byte for byte, while a read of one of
// them is under way: each is answered as if nobody else had asked. On Cassandra the same is
// shown over a network: TestEachSeesItsOwn.
func TestViewersShareNoAnswers(t *testing.T) {
	for name, open := range map[string]func(*testing.T) blog.Store{
		"model":    func(*testing.T) blog.Store { return storetest.NewModel(blog.Options{}) },
		"embedded": func(t *testing.T) blog.Store { return memory(t, nil) },
	} {
		for _, order := range [][]string{{"alice", "bob", ""}, {"bob", "", "alice"}, {"", "alice", "bob"}, {"alice", "", "bob"}} {
			t.Run(fmt.Sprintf("%s, %q", name, order), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := open(t)
					alone := map[string]server{}
					for _, subject := range order {
						alone[subject] = startWith(t, httpapi.Config{Limits: limit.Default})
						alone[subject].Serve(store)
					}
					shared := 0
					for what, ask := range asWhoever(t, store) {
						shared += tellApart(t, store, alone, what, order, ask)
					}
					if shared == 0 {
						t.Error("nobody shared anything: it proves nothing")
					}
				})
			})
		}
	}
}

// secrets are what nobody but its owner is told.
var secrets = map[string]string{"alice": "alice@example.org", "bob": "bob@example.org"}

// asWhoever fills a store with what viewers see in different ways, and returns requests that
// show it.
func asWhoever(t *testing.T, store blog.Store) map[string]func() *http.Request {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var posts, users []string
	for _, name := range []string{"alice", "bob"} {
		email := secrets[name]
		u, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name, Email: &email})
		must(err)
		p, err := store.CreatePost(t.Context(), blog.CreatePost{Author: u.ID, Title: name, Content: "c"})
		must(err)
		_, _, err = store.CreateComment(t.Context(), blog.CreateComment{Author: u.ID, Post: p.ID, Content: "c"})
		must(err)
		_, _, err = store.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: p.ID})
		must(err)
		users, posts = append(users, relay.EncodeID(u.ID)), append(posts, relay.EncodeID(p.ID))
	}
	const user = "{id username email}"
	requests := map[string]func() *http.Request{}
	for _, text := range []string{
		"{viewer " + user + "}",
		"{viewer {posts {edges {node {title viewerHasLiked author " + user + "}}} comments {edges {node {author " + user + "}}}}}",
		"{feed {edges {node {title viewerHasLiked author " + user + "}}}}",
		fmt.Sprintf("{user(username: \"alice\") %s other: user(id: %q) %s}", user, users[1], user),
		fmt.Sprintf("{post(id: %q) {viewerHasLiked likes {totalCount edges {node {user %s post {viewerHasLiked}}}}}}", posts[0], user),
		fmt.Sprintf("{likes(postId: %q) {edges {node {user %s}}} comments(postId: %[1]q) {edges {node {author %s post {viewerHasLiked}}}}}", posts[1], user, user),
		fmt.Sprintf("{userPosts(userId: %q) {edges {node {viewerHasLiked}}} nodes(ids: [%q, %q, %q]) {... on User %s ... on Post {viewerHasLiked}}}", users[0], users[0], users[1], posts[0], user),
	} {
		body := fmt.Sprintf(`{"query":%q}`, text)
		requests[text] = func() *http.Request { return post(body) }
		target := "/graphql?query=" + url.QueryEscape(text)
		requests["GET "+text] = func() *http.Request { return httptest.NewRequest(http.MethodGet, target, nil) }
	}
	return requests
}

// tellApart has subjects ask three times in turn, while the first of them is not answered, and
// returns how many shared an answer. Each has a server to ask alone, too, which no other asks.
func tellApart(t *testing.T, store blog.Store, servers map[string]server, what string, subjects []string, ask func() *http.Request) (shared int) {
	t.Helper()
	as := func(subject string) *http.Request {
		r := ask()
		if subject != "" {
			r.Header.Set("Authorization", "Bearer "+subject)
		}
		return r
	}
	alone := map[string]answer{}
	for _, subject := range subjects {
		got := servers[subject].do(t, as(subject))
		if alone[subject] = got; got.code() != "" {
			t.Fatalf("%s\nas %q: %s", what, subject, got.body)
		}
		for of, secret := range secrets {
			if strings.Contains(got.body, secret) && of != subject {
				t.Errorf("%s\nas %q: %s", what, subject, got.body)
			}
		}
	}
	if alone["alice"].body == alone["bob"].body || alone["alice"].body == alone[""].body {
		t.Fatalf("%s\nall see the same: it proves nothing", what)
	}

	s := startWith(t, httpapi.Config{Limits: limit.Default})
	all := make(chan struct{})
	s.Serve(storetest.Before(store, func(context.Context, string) { <-all }))
	asking := slices.Repeat(subjects, 3)
	answers := make([]answer, len(asking))
	var together sync.WaitGroup
	for i, subject := range asking {
		together.Go(func() { answers[i] = s.do(t, as(subject)) })
		synctest.Wait()
	}
	close(all)
	together.Wait()
	for i, got := range answers {
		want := alone[asking[i]]
		if got.status != want.status || got.body != want.body || got.header.Get("ETag") != want.header.Get("ETag") {
			t.Errorf("%s\nas %q beside others: %d %s\nalone: %d %s", what, asking[i], got.status, got.body, want.status, want.body)
		}
	}
	return s.shared(t)
}
