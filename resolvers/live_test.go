package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/changes"
	"broadsheet/internal/client"
	"broadsheet/internal/pace"
	"broadsheet/internal/storetest"
	"broadsheet/resolvers"
)

// subscribe begins a subscription as a transport does, and returns what waits for its next answer.
func (a api) subscribe(ctx context.Context, text string, variables ...map[string]any) func() *graphql.Response {
	params := graphql.RawParams{Query: text}
	for _, v := range variables {
		params.Variables = v
	}
	op, _, errs := a.documents.Operation(ctx, nil, &params)
	if errs != nil {
		return func() *graphql.Response { return a.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs) }
	}
	responses, ctx := a.exec.DispatchOperation(ctx, op)
	return func() *graphql.Response { return responses(ctx) }
}

// told is an answer as text: its data, or the codes of its errors; empty where there is none.
func told(r *graphql.Response) string {
	switch {
	case r == nil:
		return ""
	case r.Errors == nil:
		return string(r.Data)
	}
	text := string(r.Data)
	for _, err := range r.Errors {
		text += fmt.Sprint(err.Path, " ", err.Extensions["code"], " ")
	}
	return strings.TrimSpace(text)
}

// Each subscriber is told what a query would tell him, by both executors and on every store.
func TestSubscribersSeeWhatTheirQueriesWould(t *testing.T) {
	for _, s := range stores {
		for by, schema := range executors {
			t.Run(s.name+" by "+fmt.Sprint(by), func(t *testing.T) {
				sc := newScene(t, s)
				a := newAPIOf(schema, sc.store, io.Discard)
				selection := `{ title author { username displayName email } viewerHasLiked likeCount }`
				subjects := []string{"a", "b", ""}
				var created, updated, deleted, commented, changed []func() *graphql.Response
				for _, subject := range subjects {
					created = append(created, a.subscribe(as(t, subject), `subscription { postCreated { post `+selection+` } }`))
					updated = append(updated, a.subscribe(as(t, subject), `subscription { postUpdated { post `+selection+` } }`))
					deleted = append(deleted, a.subscribe(as(t, subject), `subscription { postDeleted { deletedId } }`))
					commented = append(commented, a.subscribe(as(t, subject), sc.names.expand(t, `subscription { commentCreated(postId: "<post:p02>") { comment { content author { username email } } post `+selection+` } }`)))
					changed = append(changed, a.subscribe(as(t, subject), sc.names.expand(t, `subscription { postChanged(id: "<post:p02>") { post `+selection+` deletedId } }`)))
				}
				same := func(streams []func() *graphql.Response, event, query string) {
					t.Helper()
					for i, next := range streams {
						got, want := told(next()), told(a.query(as(t, subjects[i]), sc.names.expand(t, query)))
						if want = fmt.Sprintf(event, strings.TrimSuffix(strings.TrimPrefix(want, "{"), "}")); got != want {
							t.Errorf("%q is told\n%s, want\n%s", subjects[i], got, want)
						}
					}
				}
				same(changed, `{"postChanged":{%s,"deletedId":null}}`, `{ post(id: "<post:p02>") `+selection+` }`)
				sc.post("new", "alice", "Some text.")
				same(created, `{"postCreated":{%s}}`, `{ post(id: "<post:new>") `+selection+` }`)
				_, err := sc.store.UpdatePost(t.Context(), blog.UpdatePost{Actor: sc.users["alice"].ID, Post: sc.posts["new"].ID, Title: blog.SetTo("Another title")})
				sc.must(err)
				same(updated, `{"postUpdated":{%s}}`, `{ post(id: "<post:new>") `+selection+` }`)
				sc.comment("new", "p02", "alice")
				same(commented, `{"commentCreated":{%s}}`, `{ comment: node(id: "<comment:new>") { ... on Comment { content author { username email } } } post(id: "<post:p02>") `+selection+` }`)
				same(changed, `{"postChanged":{%s,"deletedId":null}}`, `{ post(id: "<post:p02>") `+selection+` }`)
				sc.like("p02", "alice")
				same(changed, `{"postChanged":{%s,"deletedId":null}}`, `{ post(id: "<post:p02>") `+selection+` }`)
				sc.must(sc.store.DeletePost(t.Context(), blog.DeletePost{Actor: sc.users["bob"].ID, Post: sc.posts["p02"].ID}))
				for i := range subjects {
					if got, want := told(changed[i]()), sc.names.expand(t, `{"postChanged":{"post":null,"deletedId":"<post:p02>"}}`); got != want {
						t.Errorf("%s, want %s", got, want)
					}
					if got, want := told(deleted[i]()), sc.names.expand(t, `{"postDeleted":{"deletedId":"<post:p02>"}}`); got != want {
						t.Errorf("%s, want %s", got, want)
					}
					if changed[i]() != nil || commented[i]() != nil {
						t.Error("the streams of a deleted post go on")
					}
				}
			})
		}
	}
}

// What is wrong with a subscription is told before it begins.
func TestWrongSubscriptions(t *testing.T) {
	sc := newScene(t, stores[0])
	for text, want := range map[string]string{
		`subscription { postCreated(after: "x") { cursor } }`:                                     "postCreated BAD_USER_INPUT",
		`subscription { commentCreated(postId: "x") { cursor } }`:                                 "commentCreated BAD_USER_INPUT",
		`subscription { commentCreated(postId: "<user:alice>") { cursor } }`:                      "commentCreated BAD_USER_INPUT",
		`subscription { postChanged(id: "<comment:c01>") { deletedId } }`:                         "postChanged BAD_USER_INPUT",
		`subscription { postCreated { cursor } postChanged(id: "<post:p01>") { deletedId } }`:     "GRAPHQL_VALIDATION_FAILED",
		`subscription { __typename }`:                                                             "GRAPHQL_VALIDATION_FAILED",
		`subscription { postCreated @skip(if: true) { cursor } }`:                                 "GRAPHQL_VALIDATION_FAILED",
		`subscription($yes: Boolean = true) { postCreated @skip(if: $yes) { cursor } }`:           "GRAPHQL_VALIDATION_FAILED",
		`subscription { commentCreated(postId: "<post:never>") { cursor } }`:                      "",
		`subscription { postChanged(id: "<post:never>") { post { id } deletedId } }`:              `{"postChanged":{"post":null,"deletedId":"<post:never>"}}`,
		`subscription { ... on Subscription { commentCreated(postId: "<post:g01>") { cursor } }}`: "",
	} {
		next := sc.api.subscribe(t.Context(), sc.names.expand(t, text))
		if got, want := told(next()), sc.names.expand(t, want); strings.TrimPrefix(got, "[] ") != want && !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("%s\n%s, want %s", text, got, want)
		}
	}
}

// A stream ends with its token, and says so; one that ends with the server, too.
func TestSubscriptionsEndWithAReason(t *testing.T) {
	sc := newScene(t, stores[0])
	hub := newHub(sc.store)
	a := attached(graph.NewPlannedSchema, sc.store, io.Discard, client.NewAnswers(0, 0), hub, resolvers.Config{})
	for name, asker := range map[string]*resolvers.Asker{
		"a token that expires":  {Bearer: blog.Bearer{Subject: "a", Expires: time.Now().Add(50 * time.Millisecond)}},
		"a token that did":      {Bearer: blog.Bearer{Subject: "a", Expires: time.Now().Add(-time.Second)}},
		"the end of the server": {},
	} {
		next := a.subscribe(resolvers.WithAsker(t.Context(), asker), `subscription { postCreated { cursor } }`)
		want := "[] UNAUTHENTICATED"
		if asker.Expires.IsZero() {
			want = "[] SHUTTING_DOWN"
			time.AfterFunc(10*time.Millisecond, hub.Stop)
		}
		last := next()
		if got := told(last); strings.TrimSpace(got) != strings.TrimPrefix(want, "[] ") && got != want || last.Data != nil {
			t.Errorf("%s: %q", name, got)
		}
		if next() != nil {
			t.Errorf("%s: it goes on", name)
		}
		if name == "the end of the server" {
			break
		}
	}
}

// The answer to an event is written in turn with others, though it is of some kilobytes only: here another has the only
// turn for as long as one waits for it.
func TestEventsAreAnsweredInTurns(t *testing.T) {
	sc := newScene(t, stores[0])
	turns := pace.NewPlaces(1)
	a := attached(graph.NewPlannedSchema, sc.store, io.Discard, client.NewAnswers(0, 0), newHub(sc.store), resolvers.Config{Turns: turns})
	page := `comments { edges { `
	for i := range 20 {
		page += fmt.Sprintf("c%d: cursor ", i)
	}
	next := a.subscribe(t.Context(), sc.names.expand(t, `subscription { postChanged(id: "<post:p03>") { post { `+page+`} } } } }`))
	turns <- struct{}{}
	began := time.Now()
	if got := told(next()); len(got) < 8<<10 || time.Since(began) < 100*time.Millisecond {
		t.Errorf("%d bytes are there after %v, and another has the turn", len(got), time.Since(began))
	}
}

// From a list a client goes to its stream, by the cursors that it is given.
func TestLiveCursors(t *testing.T) {
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			sc := newScene(t, s)
			sc.api = newAPI(sc.store, io.Discard)
			cursorOf := func(query string) string {
				t.Helper()
				var answer struct {
					List struct{ LiveCursor string }
					In   struct{ List struct{ LiveCursor string } }
				}
				response := sc.api.query(as(t, "a"), sc.names.expand(t, query))
				if err := json.Unmarshal(response.Data, &answer); err != nil || response.Errors != nil {
					t.Fatal(err, response.Errors)
				}
				return answer.List.LiveCursor + answer.In.List.LiveCursor
			}
			posts := cursorOf(`{ list: feed(first: 1) { liveCursor edges { node { id } } } }`)
			ofUser := cursorOf(`{ list: userPosts(username: "alice", first: 1) { liveCursor } }`)
			comments := cursorOf(`{ list: comments(postId: "<post:p03>", first: 1) { liveCursor } }`)
			none := cursorOf(`{ list: comments(postId: "<post:p01>", first: 1) { liveCursor } }`)
			below := cursorOf(`{ in: post(id: "<post:p03>") { list: comments(order: OLDEST_FIRST, createdTo: "2025-01-01T00:00:00Z") { liveCursor } } }`)
			ofAuthor := cursorOf(`{ list: comments(postId: "<post:p03>", authorId: "<user:alice>") { liveCursor } }`)
			ofViewer := cursorOf(`{ in: viewer { list: comments { liveCursor } } }`)

			sc.comment("e1", "p03", "bob")
			sc.comment("e2", "p01", "bob")
			sc.post("pe", "bob", "x")
			for text, want := range map[string]string{
				`subscription { postCreated(after: "` + posts + `") { post { title } } }`:                                  `{"postCreated":{"post":{"title":"Post pe"}}}`,
				`subscription { postCreated(after: "` + ofUser + `") { post { title } } }`:                                 `{"postCreated":{"post":{"title":"Post pe"}}}`,
				`subscription { commentCreated(postId: "<post:p03>", after: "` + comments + `") { comment { content } } }`: `{"commentCreated":{"comment":{"content":"Comment e1"}}}`,
				`subscription { commentCreated(postId: "<post:p03>", after: "` + below + `") { comment { content } } }`:    `{"commentCreated":{"comment":{"content":"Comment e1"}}}`,
				`subscription { commentCreated(postId: "<post:p01>", after: "` + none + `") { comment { content } } }`:     `{"commentCreated":{"comment":{"content":"Comment e2"}}}`,
				`subscription { commentCreated(postId: "<post:p03>", after: "` + none + `") { cursor } }`:                  "commentCreated BAD_USER_INPUT",
				`subscription { commentCreated(postId: "<post:p03>", after: "` + ofAuthor + `") { cursor } }`:              "commentCreated BAD_USER_INPUT",
				`subscription { commentCreated(postId: "<post:p03>", after: "` + ofViewer + `") { cursor } }`:              "commentCreated BAD_USER_INPUT",
				`subscription { commentCreated(postId: "<post:p03>", after: "` + posts + `") { cursor } }`:                 "commentCreated BAD_USER_INPUT",
				`subscription { postCreated(after: "` + comments + `") { cursor } }`:                                       "postCreated BAD_USER_INPUT",
			} {
				if got := told(sc.api.subscribe(t.Context(), sc.names.expand(t, text))()); got != want {
					t.Errorf("%s\n%s, want %s", text, got, want)
				}
			}
		})
	}
}

// A thousand subscribers of an event cost the store what one costs, where they ask for what is
// not a viewer's own.
func TestSubscribersShareReads(t *testing.T) {
	sc := newScene(t, stores[0])
	a := newAPI(sc.store, io.Discard)
	ask := func(subscribers int) map[string]int {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var streams []func() *graphql.Response
		for i := range subscribers {
			subject := []string{"", "a", "b"}[i%3]
			ctx := resolvers.WithAsker(ctx, &resolvers.Asker{Bearer: blog.Bearer{Subject: subject}})
			streams = append(streams,
				a.subscribe(ctx, `subscription { postCreated { cursor post { title content author { id username } } } }`),
				a.subscribe(resolvers.WithAsker(ctx, &resolvers.Asker{}), `subscription { postCreated { post { author { displayName } } } }`))
		}
		sc.calls.take()
		sc.post(fmt.Sprint("s", subscribers), "carol", "Text.")
		var all sync.WaitGroup
		for _, next := range streams {
			all.Go(func() {
				if got := next(); got == nil || got.Errors != nil {
					t.Error(got)
				}
			})
		}
		all.Wait()
		return sc.calls.take()
	}
	ask(3) // who the viewers are is known from now on
	few, many := ask(3), ask(999)
	if fmt.Sprint(few) != fmt.Sprint(many) {
		t.Errorf("three ask %v, a thousand %v", few, many)
	}
}

// Subscribers who ask differently are told differently, though they share what they can.
func TestSharedAnswersAreOfOneQuestion(t *testing.T) {
	sc := newScene(t, stores[0])
	const text = `subscription($after: String, $first: Int, $no: Boolean = false) {
		postCreated(after: $after) { ... on PostCreatedEvent @skip(if: $no) { post { comments(first: $first) { edges { node { content } } } } } } }`
	cursor := ok(newHub(sc.store).Position(t.Context()))(t).OfPosts()
	var streams []func() *graphql.Response
	for _, variables := range []map[string]any{{"first": 1}, {"first": 2}, {"first": 1, "after": cursor}, {"no": true}} {
		streams = append(streams, sc.api.subscribe(t.Context(), text, variables))
	}
	sc.post("many", "alice", "Text.")
	for _, name := range []string{"m1", "m2"} {
		sc.comment(name, "many", "bob")
	}
	sc.calls.take()
	for i, want := range []string{"m2", "m2 m1", "m2", ""} {
		var answer struct {
			PostCreated struct {
				Post *struct {
					Comments struct {
						Edges []struct{ Node struct{ Content string } }
					}
				}
			}
		}
		if err := json.Unmarshal(streams[i]().Data, &answer); err != nil {
			t.Fatal(err)
		}
		var got []string
		if post := answer.PostCreated.Post; post != nil {
			for _, e := range post.Comments.Edges {
				got = append(got, strings.TrimPrefix(e.Node.Content, "Comment "))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("the %d. one is told %v, want %s", i, got, want)
		}
	}
	if calls := sc.calls.take(); calls["CommentsByPost"] != 2 {
		t.Errorf("they cost %v", calls)
	}
}

// elsewhere is a feed with a log of another server, of which its latest changes are read.
type elsewhere struct {
	blog.Changes
	latest int64
}

var logElsewhere = blog.LogID{UUID: blog.UUID{9}}

func (e elsewhere) ChangeLogs(ctx context.Context) ([]blog.ChangeLog, error) {
	logs, err := e.Changes.ChangeLogs(ctx)
	return append(logs, blog.ChangeLog{ID: logElsewhere, Seen: epoch}), err
}

func (e elsewhere) LatestChange(ctx context.Context, log blog.ChangeLog) (int64, error) {
	if log.ID == logElsewhere {
		return e.latest, nil
	}
	return e.Changes.LatestChange(ctx, log)
}

func (e elsewhere) ChangesAfter(ctx context.Context, log blog.ChangeLog, number int64, limit int) ([]blog.Change, error) {
	if log.ID == logElsewhere {
		return nil, nil
	}
	return e.Changes.ChangesAfter(ctx, log, number, limit)
}

// besideAnother is a store that has read nothing yet of what another server wrote.
type besideAnother struct{ blog.Store }

func (s besideAnother) Changes() blog.Changes { return elsewhere{Changes: s.Store.Changes()} }

// Each subscriber who is told of an event has a cursor of its own after it: one that comes from
// another server may have been told of more there than this server has read.
func TestSharedAnswersHaveTheirOwnCursors(t *testing.T) {
	on := stores[0]
	on.open = func(t *testing.T, options blog.Options) blog.Store {
		return besideAnother{stores[0].open(t, options)}
	}
	sc := newScene(t, on)
	now := func(feed blog.Changes) changes.Cursor {
		return ok(changes.Now(t.Context(), feed, storetest.NewClock(epoch)))(t)
	}
	here, there := now(sc.store.Changes()), now(elsewhere{sc.store.Changes(), 7})
	after := []changes.Cursor{here.With(there), here}
	var streams []func() *graphql.Response
	for _, at := range after {
		streams = append(streams, sc.api.subscribe(t.Context(), `subscription($after: String) { postCreated(after: $after) { cursor } }`, map[string]any{"after": "P" + at.String()}))
	}
	sc.post("here", "alice", "Text.")
	for i, next := range streams {
		var answer struct{ PostCreated struct{ Cursor string } }
		if err := json.Unmarshal(next().Data, &answer); err != nil {
			t.Fatal(err)
		}
		at := ok(changes.ParseCursor(strings.TrimPrefix(answer.PostCreated.Cursor, "P")))(t)
		if got := at.Covers(there); got != (i == 0) {
			t.Errorf("the %d. one's cursor covers what was told elsewhere: %v", i, got)
		}
	}
}

func ok[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
