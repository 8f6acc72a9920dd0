package storetest

import (
	"context"
	"strings"
	"testing"

	"broadsheet/blog"
)

// Made is what commands made: what was acknowledged, and what is seen to stand.
type Made struct {
	Users    []blog.UserID
	Posts    []blog.PostID
	Comments []blog.CommentKey
}

// Feed is all of a store's change feed.
type Feed struct {
	Changes []blog.Change // log by log
	of      map[kindOf]int
}

type kindOf struct {
	kind   blog.ChangeKind
	object blog.UUID
}

// ReadFeed reads the whole change feed of a store. It fails t where an object is created or ended
// more than once.
func ReadFeed(t testing.TB, store blog.Store) Feed {
	t.Helper()
	ctx, feed := context.Background(), Feed{of: map[kindOf]int{}}
	logs, err := store.Changes().ChangeLogs(ctx)
	for _, log := range logs {
		for number, more := int64(0), true; more && err == nil; {
			var part []blog.Change
			part, err = store.Changes().ChangesAfter(ctx, log, number, 1000)
			feed.Changes, number, more = append(feed.Changes, part...), number+int64(len(part)), len(part) > 0
		}
	}
	if err != nil {
		t.Fatalf("reading the change feed: %v", err)
	}
	for _, c := range feed.Changes {
		if object, once := onceOf(c); once {
			of := kindOf{c.Kind, object}
			if feed.of[of]++; feed.of[of] > 1 {
				t.Errorf("%+v is in the feed %d times", c, feed.of[of])
			}
		}
	}
	return feed
}

// onceOf returns the object that a change creates or ends.
func onceOf(c blog.Change) (object blog.UUID, once bool) {
	switch c.Kind {
	case blog.UserCreated:
		return c.Actor.UUID, true
	case blog.UserErased:
		return c.User.UUID, true
	case blog.PostCreated, blog.PostDeleted:
		return c.Post.UUID, true
	case blog.CommentCreated, blog.CommentDeleted:
		return c.Comment.UUID, true
	}
	return object, false
}

// Judge fails t unless the feed has one creation of each object that was made, and one end of each that is
// gone. A comment that is gone with its post may have none.
func (f Feed) Judge(t testing.TB, store blog.Store, made Made) {
	t.Helper()
	once := func(what any, created, ended blog.ChangeKind, object blog.UUID, err error, gone bool) {
		t.Helper()
		if err != nil && !blog.IsNotFound(err) {
			t.Fatal(err)
		}
		if n := f.of[kindOf{created, object}]; n != 1 {
			t.Errorf("%v was made, and %s is in the feed %d times", what, created, n)
		}
		n := f.of[kindOf{ended, object}]
		if stands := err == nil; stands && n > 0 || !stands && gone && n != 1 {
			t.Errorf("%v stands: %v, and %s is in the feed %d times", what, stands, ended, n)
		}
	}
	ctx := context.Background()
	for _, user := range made.Users {
		_, err := store.UserByID(ctx, user)
		once(user, blog.UserCreated, blog.UserErased, user.UUID, err, true)
	}
	for _, post := range made.Posts {
		_, err := store.PostByID(ctx, post)
		once(post, blog.PostCreated, blog.PostDeleted, post.UUID, err, true)
	}
	for _, comment := range made.Comments {
		_, err := store.CommentByKey(ctx, comment)
		_, above := store.PostByID(ctx, comment.Post)
		once(comment, blog.CommentCreated, blog.CommentDeleted, comment.Comment.UUID, err, above == nil)
	}
}

// Scanned is a store of whose tables a test can read every text, but of those whose rows expire: the
// journal and idempotency keys.
type Scanned interface {
	blog.Store
	EveryText(t testing.TB) map[blog.Table]string
}

// WantNowhere fails t where a table holds one of the texts, in any case.
func WantNowhere(t testing.TB, stored map[blog.Table]string, texts ...string) {
	t.Helper()
	for table, all := range stored {
		for _, text := range texts {
			if strings.Contains(strings.ToLower(all), strings.ToLower(text)) {
				t.Errorf("%s holds %q, which is of nothing that stands", table, text)
			}
		}
	}
}
