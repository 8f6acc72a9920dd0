package embedded_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
)

func TestBounds(t *testing.T) {
	leakless(t)
	storetest.Bounds(t, inMemory, func(t *testing.T, store blog.Store, post blog.PostRef, held storetest.Held) {
		t.Helper()
		if err := store.(*embedded.Store).SetCounts(t.Context(), post, held.Comments, held.CommentBytes, held.Of, held.To, held.Reactions); err != nil {
			t.Fatal(err)
		}
	})
}

// A user follows so many users, and no more: a user that is followed already stays so, and what is no user is not found.
func TestBoundOfFollows(t *testing.T) {
	leakless(t)
	store := inMemory(t, blog.Options{})
	user := func(name string) blog.UserID {
		u, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name})
		if err != nil {
			t.Fatal(err)
		}
		return u.ID
	}
	me := user("follower")
	follow := func(id blog.UserID) error {
		_, _, err := store.FollowUser(t.Context(), blog.FollowUser{Actor: me, User: id})
		return err
	}
	first := user("first")
	for n := range blog.MaxFollowsOfUser {
		followed := first
		if n > 0 {
			followed = user(fmt.Sprintf("user_%d", n))
		}
		if err := follow(followed); err != nil {
			t.Fatal(n, err)
		}
	}
	next := user("next")
	if err := follow(next); blog.KindOf(err) != blog.Invalid || !strings.Contains(err.Error(), "5000") {
		t.Error("one more:", err)
	}
	if err := follow(blog.UserID{UUID: blog.FirstUUIDAt(time.Now())}); !blog.IsNotFound(err) {
		t.Error("one that is none:", err)
	}
	if err := follow(first); err != nil {
		t.Error("one again:", err)
	}
	if _, err := store.UnfollowUser(t.Context(), blog.UnfollowUser{Actor: me, User: first}); err != nil {
		t.Fatal(err)
	}
	if err := follow(next); err != nil {
		t.Error("after one was taken back:", err)
	}
}
