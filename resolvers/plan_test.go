package resolvers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/graph/graphtest"
	"broadsheet/internal/storetest"
)

// Whatever valid document is asked, with whatever variables and whatever the store fails
// at: a plan gives the bytes and the errors that gqlgen gives.
func TestPlansAnswerAsGqlgenDoes(t *testing.T) {
	t.Parallel()
	const documents = 1_000
	seed := storetest.Seed(t)
	clock := storetest.NewClock(epoch)
	f := newFixture(t, openEmbedded(t, blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1))}), clock)
	for name, store := range map[string]blog.Store{"whole": f.store, "faulty": faulty{f.store}, "amid renames": amidRenames(f.store)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned, plain := newAPI(store, io.Discard), newAPIOf(graph.NewExecutableSchema, store, io.Discard)
			tried := map[string]int{}
			for i := range documents / 2 {
				random := randomOf(seed, i)
				d := f.names.randomDocument(random)
				for range 2 { // with other variables
					params := graphql.RawParams{Query: f.names.expand(t, d.Text()), Variables: f.names.given(d.Variables())}
					ctx := as(t, graphtest.Pick(random, "", "a", "b", "nobody"))
					want, outcome := answerOf(plain, ctx, params)
					got, _ := answerOf(planned, ctx, params)
					if !bytes.Equal(got, want) {
						variables, _ := json.Marshal(params.Variables)
						t.Fatalf("document %d\n%s\n%s\nplan   %s\ngqlgen %s", i, params.Query, variables, got, want)
					}
					tried[outcome]++
				}
			}
			t.Log(tried)
			for _, outcome := range []string{"answered", "answered at length", "answered with errors", "answered with errors at length"} {
				if tried[outcome] < documents/100 {
					t.Errorf("too few documents were %s to prove anything: %v", outcome, tried)
				}
			}
		})
	}
}

// randomOf returns the source of the i-th document.
func randomOf(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }

// answerOf returns a response as bytes, with its errors in an order that does not depend on
// who was first, and what came of it.
func answerOf(a api, ctx context.Context, params graphql.RawParams) ([]byte, string) {
	op, _, errs := a.documents.Operation(ctx, nil, &params)
	if errs == nil && costOf(op) > 500 {
		return nil, "too dear"
	}
	response := a.do(ctx, params)
	outcome := "answered"
	if response.Errors != nil {
		outcome = "answered with errors"
	}
	if len(response.Data) > 300 {
		outcome += " at length"
	}
	var told []string
	for _, err := range response.Errors {
		text, _ := json.Marshal(err)
		told = append(told, string(text))
	}
	slices.Sort(told)
	answer := string(response.Data) + "\n" + strings.Join(told, "\n")
	if len(response.Extensions) > 0 {
		answer += fmt.Sprint(response.Extensions)
	}
	return []byte(answer), outcome
}

// faulty fails at some keys, at the same ones whenever they are asked for.
type faulty struct{ blog.Store }

func fault(key any) error {
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%T %v", key, key)
	switch sum.Sum32() % 12 {
	case 0:
		return blog.Errorf(blog.Timeout, "")
	case 1:
		return blog.Errorf(blog.Unavailable, "")
	case 2:
		return blog.Errorf(blog.NotFound, "")
	case 3:
		panic(fmt.Sprint("at ", key))
	}
	return nil
}

func (s faulty) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	if err := fault(id); err != nil {
		return blog.User{}, err
	}
	return s.Store.UserByID(ctx, id)
}

func (s faulty) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	if err := fault(id); err != nil {
		return blog.Post{}, err
	}
	return s.Store.PostByID(ctx, id)
}

func (s faulty) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	if err := fault(struct{ posts blog.UserID }{author}); err != nil {
		return blog.Page[blog.Post]{}, err
	}
	return s.Store.PostsByAuthor(ctx, author, page)
}

func (s faulty) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (blog.CommentPage, error) {
	if err := fault(struct{ comments blog.PostID }{q.Post}); err != nil {
		return blog.CommentPage{}, err
	}
	return s.Store.CommentsByPost(ctx, q)
}

func (s faulty) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	if err := fault(struct{ likes blog.PostID }{post}); err != nil {
		return blog.ReactionPage{}, err
	}
	return s.Store.LikesByPost(ctx, post, page)
}

func (s faulty) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	if err := fault(struct{ likes blog.UserID }{user}); err != nil {
		return nil, err
	}
	return s.Store.LikedPosts(ctx, user, posts)
}

// Lists in the rows of a list are read side by side, and so are those of one row.
func TestListsOfRowsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		lists := newRendezvous(10)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		s.commentsByPost = func() (blog.CommentPage, error) { return blog.CommentPage{}, lists.meet(ctx) }
		s.likesByPost = func() (blog.ReactionPage, error) { return blog.ReactionPage{}, lists.meet(ctx) }
		s.wantErrors(s.ask(ctx, `{ feed(first: 5) { edges { node { comments { totalCount } likes { totalCount } } } } }`))
	})
}

// What a list can't have started, for it is of an object that a row leads to, is read side
// by side, too.
func TestResolversBelowResolversRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		users := newRendezvous(3)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		s.userByID = func(ctx context.Context, id blog.UserID) (blog.User, error) {
			if err := users.meet(ctx); err != nil {
				return blog.User{}, err
			}
			return s.Store.UserByID(ctx, id)
		}
		s.wantErrors(s.ask(ctx, `{ nodes(ids: ["<comment:d01>", "<like:p05/bob>", "<like:p03/carol>"]) { ... on Comment { post { author { bio } } } ... on Like { post { author { bio } } } } }`))
	})
}

// What a plan does not answer itself is answered all the same.
func TestWhatPlansLeaveToGqlgen(t *testing.T) {
	s := newStub(t)
	planned, plain := newAPI(s, io.Discard), newAPIOf(graph.NewExecutableSchema, s, io.Discard)
	for _, text := range []string{
		`{ __schema { queryType { name fields { name } } } feed(first: 1) { edges { cursor } } viewer { id } }`,
		`{ __typename me: viewer { username } __type(name: "Post") { name fields { name type { kind } } } }`,
		`{ feed(first: 1) { ... @defer(if: false) { edges { node { title } } } } }`,
		`query($no: Boolean = true) { viewer { username @skip(if: $no) id } }`,
		`mutation { createPost(input: {title: "", content: ""}) { post { id } userErrors { code field } } }`,
	} {
		params := graphql.RawParams{Query: text}
		want, _ := answerOf(plain, as(t, "a"), params)
		if got, _ := answerOf(planned, as(t, "a"), params); !bytes.Equal(got, want) || len(got) < 20 {
			t.Errorf("%s\nplan   %s\ngqlgen %s", text, got, want)
		}
	}
}

// What intercepts root fields may put something around an answer, or in its place.
func TestInterceptedRootFields(t *testing.T) {
	s := newStub(t)
	params := graphql.RawParams{Query: s.names.expand(t, `{ a: feed(first: 2) { edges { cursor node { title } } } viewer { id } b: post(id: "garbage") { id } user(username: "bob") { id } __typename }`)}
	var answers []string
	for _, schema := range executors {
		a := newAPIOf(schema, s, io.Discard)
		a.exec.AroundRootFields(func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
			field, m := graphql.GetRootFieldContext(ctx).Field.Name, next(ctx)
			if field == "viewer" {
				return graphql.Null
			}
			return graphql.WriterFunc(func(w io.Writer) {
				fmt.Fprintf(w, `{"around %s, null %v":`, field, m == graphql.Null)
				m.MarshalGQL(w)
				fmt.Fprint(w, "}")
			})
		})
		a.documents.Attach(a.exec)
		answer, _ := answerOf(a, as(t, "a"), params)
		answers = append(answers, string(answer))
	}
	if answers[0] != answers[1] || !strings.Contains(answers[0], "around feed, null false") || !strings.Contains(answers[0], "around post, null true") {
		t.Errorf("%s", strings.Join(answers, "\n"))
	}
}
