package resolvers

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/graph-gophers/dataloader/v7"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/client"
	"broadsheet/internal/storetest"
)

// recorded is resolvers with loaders that note the size of each dispatch.
type recorded struct {
	*Resolver
	mu    *sync.Mutex
	sizes map[string][]int
}

func (r recorded) response(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	s := r.newScope(newRequest(client.NewAnswers(0, 0), nil))
	noteIn(r, "users", &s.loaders.users)
	noteIn(r, "posts", &s.loaders.posts)
	noteIn(r, "liked", &s.loaders.reacted)
	return next(context.WithValue(ctx, scopeKey, s))
}

func noteIn[K comparable, V any](r recorded, name string, l *loader[K, V]) {
	read := l.read
	l.read = func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		r.mu.Lock()
		r.sizes[name] = append(r.sizes[name], len(keys))
		r.mu.Unlock()
		return read(ctx, keys)
	}
}

// magazine is 20 posts by four authors in turn; the author of each post wrote a
// comment on the next one and likes the first.
func magazine(t *testing.T) blog.Store {
	store := storetest.NewModel(blog.Options{IDs: blog.NewIDs(blog.SystemClock{}, storetest.Random(1))})
	var users []blog.User
	for i := range 4 {
		u, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: fmt.Sprint(i), Username: fmt.Sprintf("user_%d", i)})
		must(t, err)
		users = append(users, u)
	}
	var first, last blog.PostID
	for i := range 20 {
		author := users[i%4].ID
		p, err := store.CreatePost(t.Context(), blog.CreatePost{Author: author, Title: "T", Content: "C"})
		must(t, err)
		if i == 0 {
			first, last = p.ID, p.ID
		}
		_, _, err = store.CreateComment(t.Context(), blog.CreateComment{Author: author, Post: last, Content: "C"})
		must(t, err)
		_, _, err = store.LikePost(t.Context(), blog.LikePost{Actor: author, Post: first})
		must(t, err)
		last = p.ID
	}
	return store
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPageMakesOneDispatchOfAKind(t *testing.T) {
	r := New(magazine(t), nil, Config{})
	r.answers = client.NewAnswers(0, 0)
	for name, tc := range map[string]struct {
		query string
		want  map[string][]int
	}{
		"feed, authors from copies":     {`{ feed { edges { node { author { username } } } } }`, nil},
		"feed, authors":                 {`{ feed { edges { node { author { bio } } } } }`, map[string][]int{"users": {4}}},
		"feed, content":                 {`{ feed { edges { node { content } } } }`, map[string][]int{"posts": {20}}},
		"feed, viewerHasLiked":          {`{ feed { edges { node { viewerHasLiked } } } }`, map[string][]int{"liked": {20}}},
		"feed, all of it, aliased":      {`{ feed { rows: edges { ...E } edges { post: node { content } } } } fragment E on PostEdge { node { ... on Post { who: author { bio } viewerHasLiked } } }`, map[string][]int{"users": {4}, "posts": {20}, "liked": {20}}},
		"feed, skipped":                 {`{ feed { edges { node { content @skip(if: true) author { bio @include(if: false) id } } } } }`, nil},
		"a user's posts":                {`{ userPosts(username: "user_1") { edges { node { content author { bio } viewerHasLiked } } } }`, map[string][]int{"users": {1}, "posts": {5}, "liked": {5}}},
		"a user's posts, nested":        {`{ viewer { posts(first: 3) { edges { node { content } } } } }`, map[string][]int{"posts": {3}}},
		"a user's comments":             {`{ viewer { comments { edges { node { author { bio } post { title viewerHasLiked } } } } } }`, map[string][]int{"users": {1}, "posts": {5}, "liked": {5}}},
		"likes":                         {`{ feed(last: 1) { edges { node { likes { edges { node { user { bio } post { title viewerHasLiked } } } } } } } }`, map[string][]int{"users": {4}, "posts": {1}, "liked": {1}}},
		"comments, authors from copies": {`{ feed(last: 1) { edges { node { comments { edges { node { author { id username } } } } } } } }`, nil},
		"comments":                      {`{ feed(last: 1) { edges { node { comments { edges { node { author { bio } } } } } } } }`, map[string][]int{"users": {2}}},
	} {
		t.Run(name, func(t *testing.T) {
			record := recorded{r, &sync.Mutex{}, map[string][]int{}}
			exec := executor.New(graph.NewPlannedSchema(graph.Config{Resolvers: r}))
			exec.AroundOperations(record.operation)
			exec.AroundRootFields(record.rootField)
			exec.AroundResponses(record.response)
			exec.SetErrorPresenter(presenter(slog.Default()))
			ctx := graphql.StartOperationTrace(WithAsker(t.Context(), &Asker{Bearer: blog.Bearer{Subject: "2"}}))
			op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: tc.query})
			if errs != nil {
				t.Fatal(errs)
			}
			responses, ctx := exec.DispatchOperation(ctx, op)
			if response := responses(ctx); response.Errors != nil {
				t.Fatal(response.Errors)
			}
			if !maps.EqualFunc(record.sizes, tc.want, slices.Equal[[]int]) {
				t.Errorf("dispatches %v, want %v", record.sizes, tc.want)
			}
		})
	}
}
