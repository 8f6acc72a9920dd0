package relay_test

import (
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// again reads a text as a cursor of a list and, where it is one, writes it anew.
func again[P relay.Position](list relay.List[P]) func(string) (string, error) {
	return func(text string) (string, error) {
		at, err := list.Position(text)
		if err != nil {
			return "", err
		}
		return list.Cursor(at), nil
	}
}

// Whatever is taken for a cursor has that one spelling, and belongs to one list.
func FuzzCursorsHaveOneSpelling(f *testing.F) {
	user, post, _, _ := keys(f)
	lists := []func(string) (string, error){
		again(relay.Feed(blog.NewestFirst)), again(relay.PostsByAuthor(user, blog.NewestFirst)), again(relay.CommentsByAuthor(user, blog.NewestFirst)), again(relay.LikesByPost(post, blog.NewestFirst)),
		again(relay.CommentsByPost(post, blog.NewestFirst)), again(relay.CommentsByPost(post, blog.OldestFirst)),
		again(relay.Feed(blog.OldestFirst)), again(relay.PostsByAuthor(user, blog.OldestFirst)), again(relay.CommentsByAuthor(user, blog.OldestFirst)), again(relay.LikesByPost(post, blog.OldestFirst)),
	}
	for _, c := range cursors(f) {
		f.Add(c.text)
	}
	f.Add("")
	f.Add("garbage")
	f.Fuzz(func(t *testing.T, text string) {
		takers := 0
		for _, list := range lists {
			written, err := list(text)
			switch {
			case err == nil && written != text:
				t.Errorf("%q is another spelling of %q", text, written)
			case err == nil:
				takers++
			case blog.KindOf(err) != blog.Invalid:
				t.Errorf("%q: %v", text, err)
			}
		}
		if takers > 1 {
			t.Errorf("%q is a cursor of %d lists", text, takers)
		}
	})
}

// Every key has an id and, in every list, a cursor that lead back to it.
func FuzzKeysAreReadBack(f *testing.F) {
	f.Add(make([]byte, 16), []byte("0123456789abcdef"), int64(0))
	f.Add([]byte("0123456789abcdef"), make([]byte, 16), int64(1<<48-1))
	f.Fuzz(func(t *testing.T, first, second []byte, ms int64) {
		a, b := version7(first), version7(second)
		user, post, comment := blog.UserID{UUID: a}, blog.PostID{UUID: b}, blog.CommentID{UUID: a}
		like := blog.ReactionPosition{At: time.UnixMilli(ms & (1<<48 - 1)).UTC(), ID: user.UUID}

		idIsReadBack(t, user)
		idIsReadBack(t, post)
		idIsReadBack(t, blog.CommentKey{Post: post, Comment: comment})
		idIsReadBack(t, blog.ReactionKey{Of: blog.Likes, To: post.UUID, User: user})

		cursorIsReadBack(t, relay.Feed(blog.NewestFirst), post)
		cursorIsReadBack(t, relay.PostsByAuthor(user, blog.NewestFirst), post)
		cursorIsReadBack(t, relay.CommentsByPost(post, blog.NewestFirst), comment)
		cursorIsReadBack(t, relay.CommentsByPost(post, blog.OldestFirst), comment)
		cursorIsReadBack(t, relay.CommentsByAuthor(user, blog.NewestFirst), comment)
		cursorIsReadBack(t, relay.LikesByPost(post, blog.NewestFirst), like)
	})
}

func idIsReadBack[K interface {
	relay.Key
	comparable
}](t *testing.T, key K) {
	t.Helper()
	if got, err := relay.DecodeID[K](relay.EncodeID(key)); err != nil || got != key {
		t.Errorf("%v is read back as %v: %v", key, got, err)
	}
}

func cursorIsReadBack[P interface {
	relay.Position
	comparable
}](t *testing.T, list relay.List[P], at P) {
	t.Helper()
	if got, err := list.Position(list.Cursor(at)); err != nil || got != at {
		t.Errorf("%v is read back as %v: %v", at, got, err)
	}
}

// version7 makes a UUID of version 7 of any bytes (RFC 9562, section 5.7).
func version7(raw []byte) (id blog.UUID) {
	copy(id[:], raw)
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}
