package relay_test

import (
	"bytes"
	"encoding/base64"
	"runtime"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

func uuid(t testing.TB, last string) blog.UUID {
	t.Helper()
	id, err := blog.ParseUUID("01932b4e-8f2a-7c3d-9e4f-0123456789" + last)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// keys returns one key of each type, made of the same two UUIDs.
func keys(t testing.TB) (blog.UserID, blog.PostID, blog.CommentKey, blog.ReactionKey) {
	a, b := uuid(t, "0a"), uuid(t, "0b")
	post := blog.PostID{UUID: a}
	return blog.UserID{UUID: a}, post,
		blog.CommentKey{Post: post, Comment: blog.CommentID{UUID: b}},
		blog.ReactionKey{Of: blog.Likes, To: post.UUID, User: blog.UserID{UUID: b}}
}

// These spellings are in clients' hands for ever.
func TestIDsKeepTheirSpelling(t *testing.T) {
	user, post, comment, like := keys(t)
	for id, want := range map[string]string{
		relay.EncodeID(user):    "dQGTK06PKnw9nk8BI0VniQo",
		relay.EncodeID(post):    "cAGTK06PKnw9nk8BI0VniQo",
		relay.EncodeID(comment): "YwGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kL",
		relay.EncodeID(like):    "bAGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kL",
	} {
		if id != want {
			t.Errorf("%s, was %s", id, want)
		}
	}
}

func TestIDOfEachTypeNamesItsTypeAlone(t *testing.T) {
	user, post, comment, like := keys(t)
	for _, tc := range []struct {
		name string
		id   string
		key  any
	}{
		{"user", relay.EncodeID(user), user},
		{"post", relay.EncodeID(post), post},
		{"comment", relay.EncodeID(comment), comment},
		{"like", relay.EncodeID(like), like},
	} {
		if got, err := relay.DecodeAnyID(tc.id); got != tc.key || err != nil {
			t.Errorf("%s: decoded to %v, %v", tc.name, got, err)
		}
		_, asUser := relay.DecodeID[blog.UserID](tc.id)
		_, asPost := relay.DecodeID[blog.PostID](tc.id)
		_, asComment := relay.DecodeID[blog.CommentKey](tc.id)
		_, asReaction := relay.DecodeID[blog.ReactionKey](tc.id)
		for wanted, err := range map[string]error{"user": asUser, "post": asPost, "comment": asComment, "reaction": asReaction} {
			is := wanted == tc.name || wanted == "reaction" && tc.key == like // of whatever kind
			switch {
			case is && err != nil:
				t.Errorf("%s: %v", tc.name, err)
			case !is && blog.KindOf(err) != blog.NotFound:
				t.Errorf("the id of a %s as that of a %s: %v, want a NotFound", tc.name, wanted, err)
			case !is && !strings.Contains(err.Error(), "id of a "+tc.name+", not of a "+wanted):
				t.Errorf("the message does not name both types: %v", err)
			}
		}
	}
}

func TestWhatIsNoID(t *testing.T) {
	user, post, comment, _ := keys(t)
	id := relay.EncodeID(user)
	spell := func(parts ...[]byte) string {
		return base64.RawURLEncoding.EncodeToString(bytes.Join(parts, nil))
	}
	version4, variant0 := user.UUID, user.UUID
	version4[6] = 0x4c
	variant0[8] = 0x1e
	for name, text := range map[string]string{
		"nothing":                      "",
		"garbage":                      "garbage",
		"a UUID":                       user.String(),
		"a number":                     "7",
		"the type alone":               spell([]byte("u")),
		"an unknown type":              spell([]byte("x"), user.UUID[:]),
		"a user with two UUIDs":        spell([]byte("u"), user.UUID[:], post.UUID[:]),
		"a comment with one UUID":      spell([]byte("c"), post.UUID[:]),
		"a comment with three":         spell([]byte("c"), post.UUID[:], post.UUID[:], post.UUID[:]),
		"half a UUID":                  spell([]byte("u"), user.UUID[:8]),
		"a byte too many":              spell([]byte("u"), user.UUID[:], []byte{0}),
		"a UUID of version 4":          spell([]byte("u"), version4[:]),
		"a UUID of another variant":    spell([]byte("u"), variant0[:]),
		"the zero UUID":                spell([]byte("u"), make([]byte, 16)),
		"stray bits in the last digit": id[:len(id)-1] + "p",
		"padding":                      id + "=",
		"a line break":                 id[:5] + "\n" + id[5:],
		"a trailing line break":        id + "\r\n",
		"a blank before":               " " + id,
		"the other alphabet":           strings.Repeat("+", 23),
		"a second id":                  id + id,
		"a lost end":                   relay.EncodeID(comment)[:30],
	} {
		if key, err := relay.DecodeAnyID(text); blog.KindOf(err) != blog.Invalid || key != nil {
			t.Errorf("%s: %v, %v; want an Invalid", name, key, err)
		}
		if _, err := relay.DecodeID[blog.UserID](text); blog.KindOf(err) != blog.Invalid {
			t.Errorf("%s as a user's id: %v, want an Invalid", name, err)
		}
	}
}

// Whatever is taken for an id has that one spelling.
func FuzzIDsHaveOneSpelling(f *testing.F) {
	user, post, comment, like := keys(f)
	for _, id := range []string{relay.EncodeID(user), relay.EncodeID(post), relay.EncodeID(comment), relay.EncodeID(like), "garbage", ""} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		key, err := relay.DecodeAnyID(id)
		if err != nil {
			return
		}
		again := ""
		switch k := key.(type) {
		case blog.UserID:
			again = relay.EncodeID(k)
		case blog.PostID:
			again = relay.EncodeID(k)
		case blog.CommentKey:
			again = relay.EncodeID(k)
		case blog.ReactionKey:
			again = relay.EncodeID(k)
		}
		if again != id {
			t.Errorf("%q is another spelling of %q", id, again)
		}
	})
}

// What is longer than any id or cursor is not even decoded.
func TestLongTextsAreNotRead(t *testing.T) {
	long := strings.Repeat("A", 1<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		if _, err := relay.DecodeAnyID(long); blog.KindOf(err) != blog.Invalid {
			t.Error(err)
		}
		if _, err := relay.Feed(blog.NewestFirst).Position(long); blog.KindOf(err) != blog.Invalid {
			t.Error(err)
		}
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("they took %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}
