package resolvers_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
)

// erasing is a store in which the erasure of an account has begun, and nothing that it wrote is deleted yet.
type erasing struct {
	blog.Store
	user blog.UserID
}

func (e erasing) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	if id == e.user {
		return blog.User{}, blog.ErrNoUser()
	}
	return e.Store.UserByID(ctx, id)
}

func (e erasing) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	u, err := e.Store.UserBySubject(ctx, subject)
	if u.ID == e.user {
		return blog.User{}, blog.ErrNoUser()
	}
	return u, err
}

// What an account wrote that is being erased is shown with what the row holds of it, whatever is asked.
func TestRowsOfAnErasedAccount(t *testing.T) {
	store := inMemory(t)
	ann, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: "a", Username: "ann", Bio: new("a bio")})
	if err != nil {
		t.Fatal(err)
	}
	post, err := store.CreatePost(t.Context(), blog.CreatePost{Author: ann.ID, Title: "T", Content: "C"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = store.CreateComment(t.Context(), blog.CreateComment{Author: ann.ID, Post: post.ID, Content: "C"}); err != nil {
		t.Fatal(err)
	}
	if err := storetest.ReactEach(t.Context(), store, ann.ID, post.ID); err != nil {
		t.Fatal(err)
	}
	api := newAPI(erasing{store, ann.ID}, io.Discard)
	for _, viewer := range []string{"", "a", "b"} {
		for _, asked := range []string{"id", "username", "username createdAt", "username bio displayName email version", "bio username", "likes {edges {cursor}} bookmarks {edges {cursor}} email suspended"} {
			answer := api.query(as(t, viewer), `{
				viewer {id} user(id: "`+relay.EncodeID(ann.ID)+`") {id}
				feed {edges {node {author {`+asked+`} comments {edges {node {author {`+asked+`}}}} likes {edges {node {user {`+asked+`}}}}}}}
				post(id: "`+relay.EncodeID(post.ID)+`") {author {`+asked+`}}
			}`)
			text, _ := json.Marshal(answer)
			if len(answer.Errors) > 0 || strings.Contains(string(text), "a bio") || !strings.Contains(string(text), `"user":null`) || !strings.Contains(string(text), `"viewer":null`) {
				t.Errorf("%q asks for %s: %s", viewer, asked, text)
			}
			if strings.Contains(string(text), "cursor") || strings.Count(string(text), `"bookmarks":null`) != strings.Count(string(text), `"likes":null`) {
				t.Errorf("%q is shown what an account keeps for itself: %s", viewer, text)
			}
			if named := strings.Count(string(text), `"username":"ann"`); strings.Contains(asked, "username") && named != 4 {
				t.Errorf("%q asks for %s: the name stands %d times in %s", viewer, asked, named, text)
			}
		}
	}
}

// A subject whose account was erased makes another, on one server. Others that remember the first write as the
// second.
func TestAnErasedAccountIsNotRemembered(t *testing.T) {
	store := inMemory(t)
	here, there := newAPI(store, io.Discard), newAPI(store, io.Discard)
	mutate := func(on api, command, want string) {
		t.Helper()
		text, _ := json.Marshal(on.query(as(t, "a"), "mutation {"+command+"}"))
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, want %s", command, text, want)
		}
	}
	const write = `createPost(input: {title: "T", content: "C"}) {post {author {username}} userErrors {code}}`
	mutate(here, `createUser(input: {username: "ann"}) {userErrors {code}}`, `"userErrors":[]`)
	mutate(there, write, `"username":"ann"`)
	mutate(here, `deleteAccount(input: {username: "bob"}) {deletedId userErrors {code field}}`, `"deletedId":null,"userErrors":[{"code":"INVALID","field":["username"]}]`)
	mutate(here, `deleteAccount(input: {username: "ANN"}) {deletedId userErrors {code}}`, `"userErrors":[]`)
	mutate(here, write, `"userErrors":[{"code":"FORBIDDEN"}]`)
	mutate(here, `deleteAccount(input: {username: "ann"}) {deletedId userErrors {code}}`, `"deletedId":null,"userErrors":[{"code":"FORBIDDEN"}]`)
	if err := store.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	mutate(here, `createUser(input: {username: "amy"}) {userErrors {code}}`, `"userErrors":[]`)
	mutate(there, write, `"username":"amy"`)
	mutate(here, write, `"username":"amy"`)
}

func inMemory(t *testing.T) *embedded.Store {
	t.Helper()
	clock := storetest.NewClock(epoch)
	store, err := embedded.InMemory(embedded.Options{Options: blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1))}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}
