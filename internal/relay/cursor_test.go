package relay_test

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
	"broadsheet/internal/relay"
)

var likedAt = time.Date(2025, time.March, 1, 9, 30, 0, 123e6, time.UTC)

// cursor is one of a list, with that list's own reader.
type cursor struct {
	list string
	text string
	read func(string) error
}

func of[P relay.Position](name string, list relay.List[P], at P) cursor {
	return cursor{name, list.Cursor(at), func(text string) error {
		_, err := list.Position(text)
		return err
	}}
}

// cursors returns one of each list that differs in kind, parent or order. All keys
// and parents are made of the same two UUIDs.
func cursors(t testing.TB) []cursor {
	a, b := uuid(t, "0a"), uuid(t, "0b")
	user, other := blog.UserID{UUID: a}, blog.UserID{UUID: b}
	post, otherPost := blog.PostID{UUID: a}, blog.PostID{UUID: b}
	comment, like := blog.CommentID{UUID: b}, blog.ReactionPosition{At: likedAt, ID: b}
	reply := blog.PathOf(comment).Reply(blog.CommentID{UUID: a})
	return []cursor{
		of("feed", relay.Feed(blog.NewestFirst), otherPost),
		of("posts by author", relay.PostsByAuthor(user, blog.NewestFirst), otherPost),
		of("posts by another author", relay.PostsByAuthor(other, blog.NewestFirst), otherPost),
		of("comments by post, newest first", relay.CommentsByPost(post, blog.NewestFirst), comment),
		of("comments by post, oldest first", relay.CommentsByPost(post, blog.OldestFirst), comment),
		of("comments by another post", relay.CommentsByPost(otherPost, blog.NewestFirst), comment),
		of("comments by author", relay.CommentsByAuthor(user, blog.NewestFirst), comment),
		of("comments by another author", relay.CommentsByAuthor(other, blog.NewestFirst), comment),
		of("likes by post", relay.LikesByPost(post, blog.NewestFirst), like),
		of("likes by another post", relay.LikesByPost(otherPost, blog.NewestFirst), like),
		of("comments by post and author, newest first", relay.CommentsByPostAndAuthor(post, user, blog.NewestFirst), comment),
		of("comments by post and author, oldest first", relay.CommentsByPostAndAuthor(post, user, blog.OldestFirst), comment),
		of("feed, oldest first", relay.Feed(blog.OldestFirst), otherPost),
		of("posts by author, oldest first", relay.PostsByAuthor(user, blog.OldestFirst), otherPost),
		of("comments by author, oldest first", relay.CommentsByAuthor(user, blog.OldestFirst), comment),
		of("likes by post, oldest first", relay.LikesByPost(post, blog.OldestFirst), like),
		of("likes by user", relay.LikesByUser(user, blog.NewestFirst), like),
		of("likes by user, oldest first", relay.LikesByUser(user, blog.OldestFirst), like),
		of("likes by another user", relay.LikesByUser(other, blog.NewestFirst), like),
		of("comments by post and another author", relay.CommentsByPostAndAuthor(post, other, blog.NewestFirst), comment),
		of("bookmarks by user", relay.BookmarksByUser(user, blog.NewestFirst), like),
		of("bookmarks by user, oldest first", relay.BookmarksByUser(user, blog.OldestFirst), like),
		of("followers", relay.FollowersByUser(user, blog.NewestFirst), like),
		of("followers, oldest first", relay.FollowersByUser(user, blog.OldestFirst), like),
		of("followers of another", relay.FollowersByUser(other, blog.NewestFirst), like),
		of("follows by user", relay.FollowsByUser(user, blog.NewestFirst), like),
		of("follows by user, oldest first", relay.FollowsByUser(user, blog.OldestFirst), like),
		of("home", relay.HomeByUser(user, blog.NewestFirst), otherPost),
		of("home, oldest first", relay.HomeByUser(user, blog.OldestFirst), otherPost),
		of("newest members", relay.NewestMembers(blog.GroupID{UUID: a}, blog.NewestFirst), like),
		of("newest members, oldest first", relay.NewestMembers(blog.GroupID{UUID: a}, blog.OldestFirst), like),
		of("groups by user", relay.GroupsByUser(user, blog.NewestFirst), like),
		of("groups by user, oldest first", relay.GroupsByUser(user, blog.OldestFirst), like),
		of("members", relay.MembersByGroup(blog.GroupID{UUID: a}, blog.NewestFirst), other),
		of("members, oldest first", relay.MembersByGroup(blog.GroupID{UUID: a}, blog.OldestFirst), other),
		of("another home", relay.HomeByUser(other, blog.NewestFirst), otherPost),
		of("posts by group", relay.PostsByGroup(blog.GroupID{UUID: a}, blog.NewestFirst), otherPost),
		of("posts by group, oldest first", relay.PostsByGroup(blog.GroupID{UUID: a}, blog.OldestFirst), otherPost),
		of("threads", relay.Threads(post), reply),
		of("a thread", relay.Thread(blog.CommentKey{Post: post, Comment: comment}), reply),
		of("another thread", relay.Thread(blog.CommentKey{Post: post, Comment: blog.CommentID{UUID: a}}), reply),
	}
}

// These spellings are in clients' hands: an upgrade must not forget them.
func TestCursorsKeepTheirSpelling(t *testing.T) {
	want := []string{
		"RgGTK06PKnw9nk8BI0VniQtJ41iv",
		"UAGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kLfrXq_A",
		"",
		"QwGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kLUP0F3g",
		"TwGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kL6u_2kg",
		"",
		"QQGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kL-pdIvQ",
		"",
		"TAGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kL-Cv58g",
		"",
		"QgGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kKAZMrTo8qfD2eTwEjRWeJC3ZI5Q4",
		"RAGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kKAZMrTo8qfD2eTwEjRWeJCyWdN4E",
		"RwGTK06PKnw9nk8BI0VniQu8Euot",
		"UwGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kLFJOnKg",
		"RQGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kLghcxWw",
		"TQGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLRuLjPw",
		"VQGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLTrkXpg",
		"VgGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLZ54LFQ",
		"",
		"",
		"SwGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLitEYTw",
		"VwGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLWUqVQg",
		"SAGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLOIkGDA",
		"TgGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLZ40HLw",
		"",
		"SQGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLI70uiw",
		"UQGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kL44Jgeg",
		"UgGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kLjNKR5g",
		"VAGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kL1oeufQ",
		"SgGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLSNw0vQ",
		"WAGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLSM64AQ",
		"WQGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kLz0lbsQ",
		"WgGTK06PKnw9nk8BI0VniQoBlVEKijsBkytOjyp8PZ5PASNFZ4kL510UVA",
		"YQGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kLcsFnAQ",
		"YgGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kL4PrXng",
		"",
		"ZQGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kL7P5t_w",
		"",
		"YwGTK06PKnw9nk8BI0VniQr-bNSxcNWDwmGw_ty6mHb0AZMrTo8qfD2eTwEjRWeJCtvsZTc",
		"ZAGTK06PKnw9nk8BI0VniQoBkytOjyp8PZ5PASNFZ4kL_mzUsXDVg8JhsP7cuph29AGTK06PKnw9nk8BI0VniQrF7FXV",
		"",
	}
	for i, c := range cursors(t) {
		if want[i] != "" && c.text != want[i] {
			t.Errorf("%s: %s, was %s", c.list, c.text, want[i])
		}
	}
}

// A cursor that named less than its list would be taken by another list of the same table.
func TestCursorsNameTheirWholeList(t *testing.T) {
	for _, d := range productmap.Lists {
		most := 1 + 4 // the kind, the sum
		for _, c := range slices.Concat(d.Parent(), d.Position()) {
			switch {
			case c.Constant || (d.Table == blog.FeedByBucket || d.Shards() > 1) && !c.Type.IsID(): // of the feed there is one, and a list has all its shards
			case c.Type.IsID():
				most += len(blog.UUID{})
			default:
				most += 2
			}
		}
		for _, kind := range []byte(d.List.Cursors) {
			i := slices.IndexFunc(cursors(t), func(c cursor) bool { return unsealed(t, c.text)[0] == kind })
			if i < 0 {
				t.Errorf("%s: no cursor that begins with %q is tried: give cursors one", d.Table, kind)
			} else if n := len(unsealed(t, cursors(t)[i].text)); n < most {
				t.Errorf("%s: a cursor has %d bytes, and %v take %d: have its list in lists.go name all of its parent", d.Table, n, d.Key().Names(), most)
			}
		}
	}
}

func unsealed(t *testing.T, cursor string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestCursorIsReadBack(t *testing.T) {
	post, comment := blog.PostID{UUID: uuid(t, "0a")}, blog.CommentID{UUID: uuid(t, "0b")}
	if got, err := relay.Feed(blog.NewestFirst).Position(relay.Feed(blog.NewestFirst).Cursor(post)); got != post || err != nil {
		t.Errorf("a post: %v, %v", got, err)
	}
	comments := relay.CommentsByPost(post, blog.OldestFirst)
	if got, err := comments.Position(comments.Cursor(comment)); got != comment || err != nil {
		t.Errorf("a comment: %v, %v", got, err)
	}
	likes := relay.LikesByPost(post, blog.NewestFirst)
	for _, at := range []time.Time{likedAt, time.UnixMilli(0).UTC(), time.UnixMilli(1<<48 - 1).UTC()} {
		like := blog.ReactionPosition{At: at, ID: uuid(t, "0c")}
		if got, err := likes.Position(likes.Cursor(like)); got != like || err != nil {
			t.Errorf("a like: %v, %v; want %v", got, err, like)
		}
	}
}

func TestCursorOfAnotherListIsRefused(t *testing.T) {
	all := cursors(t)
	for _, list := range all {
		for _, c := range all {
			err := list.read(c.text)
			if (err == nil) != (c.list == list.list) {
				t.Errorf("%s takes a cursor of %s: %v", list.list, c.list, err)
			}
			if err != nil && err.Error() != "is the cursor of another list, or of another order" {
				t.Errorf("%s on a cursor of %s: %v", list.list, c.list, err)
			}
		}
	}
}

// Lists of any parent take the cursors of their kind and order, and no others.
func TestCursorOfAnyParent(t *testing.T) {
	post := blog.PostID{UUID: uuid(t, "0c")}
	any := relay.CommentsByPost(post, blog.NewestFirst).OfAnyParent()
	for _, c := range cursors(t) {
		at, err := any.Position(c.text)
		mine := strings.HasPrefix(c.list, "comments by") && strings.Contains(c.list, "post") && !strings.Contains(c.list, "oldest") && !strings.Contains(c.list, "author")
		if (err == nil) != mine {
			t.Errorf("a cursor of %s: %v", c.list, err)
		}
		if mine && at.UUID != uuid(t, "0b") {
			t.Errorf("a cursor of %s is at %v", c.list, at)
		}
	}
	if _, err := any.Position(any.Cursor(blog.CommentID{UUID: uuid(t, "0b")})); err == nil {
		t.Error("a cursor without a parent is read")
	}
}

func TestForgedCursorIsRefused(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for _, c := range cursors(t) {
		for i := range c.text {
			for _, letter := range letters {
				text := c.text[:i] + string(letter) + c.text[i+1:]
				if err := c.read(text); text != c.text && blog.KindOf(err) != blog.Invalid {
					t.Fatalf("%s: %s for %s is taken: %v", c.list, text, c.text, err)
				}
			}
			if err := c.read(c.text[:i]); blog.KindOf(err) != blog.Invalid {
				t.Fatalf("%s: the first %d letters are taken: %v", c.list, i, err)
			}
		}
		for _, text := range []string{c.text + "A", c.text + "=", c.text + "\n", " " + c.text, c.text + c.text} {
			if err := c.read(text); blog.KindOf(err) != blog.Invalid {
				t.Errorf("%s: %q is taken: %v", c.list, text, err)
			}
		}
	}
}

// Who knows the checksum can make a cursor, and still only of UUIDs of version 7.
func TestCursorOfNoKeyIsRefused(t *testing.T) {
	sealed := func(raw []byte) string {
		sum := sha256.Sum256(raw)
		return base64.RawURLEncoding.EncodeToString(append(raw, sum[:4]...))
	}
	id := uuid(t, "0a")
	if _, err := relay.Feed(blog.NewestFirst).Position(sealed(append([]byte{'F'}, id[:]...))); err != nil {
		t.Fatalf("the test seals no cursor: %v", err)
	}
	version4 := id
	version4[6] = 0x4c
	for name, raw := range map[string][]byte{
		"version 4":       append([]byte{'F'}, version4[:]...),
		"the zero UUID":   append([]byte{'F'}, make([]byte, 16)...),
		"no key":          {'F'},
		"half a key":      append([]byte{'F'}, id[:8]...),
		"two keys":        append(append([]byte{'F'}, id[:]...), id[:]...),
		"a byte too many": append(append([]byte{'F'}, id[:]...), 0),
		"nothing":         {},
	} {
		if _, err := relay.Feed(blog.NewestFirst).Position(sealed(raw)); blog.KindOf(err) != blog.Invalid {
			t.Errorf("%s: %v, want an Invalid", name, err)
		}
	}
	likes := append([]byte{'L'}, id[:]...)
	for name, key := range map[string][]byte{
		"no time":       id[:],
		"half a user":   append(make([]byte, 6), id[:8]...),
		"the time only": make([]byte, 6),
	} {
		if _, err := relay.LikesByPost(blog.PostID{UUID: id}, blog.NewestFirst).Position(sealed(append(likes[:17:17], key...))); blog.KindOf(err) != blog.Invalid {
			t.Errorf("a like with %s: %v, want an Invalid", name, err)
		}
	}
}
