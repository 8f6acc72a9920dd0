package resolvers_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

// A server remembers which account a subject acts for. An operator who has another subject act for the
// account tells the servers nothing: the one of before acts no more once that is forgotten, and the
// new one at once.
func TestASubjectOfBeforeActsNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := storetest.NewClock(epoch)
		store := storetest.NewModel(blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1))})
		u, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: "before", Username: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		a := newAPI(store, io.Discard)
		posts := func(subject string) string {
			return string(a.query(as(t, subject), `mutation { createPost(input: {title: "T", content: "C"}) { post { author { username } } userErrors { code } } }`).Data)
		}
		const written = `{"createPost":{"post":{"author":{"username":"ada"}},"userErrors":[]}}`
		const refused = `{"createPost":{"post":null,"userErrors":[{"code":"FORBIDDEN"}]}}`
		wants := func(subject, want string) {
			t.Helper()
			if got := posts(subject); got != want {
				t.Errorf("%s: %s, want %s", subject, got, want)
			}
		}
		wants("before", written)
		wants("after", refused)
		if _, err := store.RelinkUser(t.Context(), blog.RelinkUser{User: u.ID, Subject: "after"}); err != nil {
			t.Fatal(err)
		}
		if got := string(a.query(as(t, "before"), `{ viewer { username } }`).Data); got != `{"viewer":null}` {
			t.Error(got)
		}
		edited := a.query(as(t, "before"), `mutation { updateUser(input: {bio: "Still."}) { user { email bio } } }`)
		if got := string(edited.Data); got != `{"updateUser":{"user":{"email":null,"bio":"Still."}}}` {
			t.Error(got) // the server remembered it, and does not any more
		}
		wants("before", refused)
		wants("after", written)
		if _, err := store.RelinkUser(t.Context(), blog.RelinkUser{User: u.ID, Subject: "later"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		wants("after", refused)
		wants("later", written)
	})
}
