package cassandra_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/testkeyspace"
)

func firstComment(t *testing.T, store *cassandra.Store, post blog.PostID) blog.Comment {
	t.Helper()
	page, err := store.CommentsByPost(t.Context(), blog.CommentsQuery{Post: post, Order: blog.NewestFirst, Page: blog.FirstPage[blog.CommentID](10)})
	must(t, err)
	return page.Items[len(page.Items)-1]
}

// The answer to a comment's batch is lost; its author, on another server, edits it before
// this one has looked.
func TestEditBeforeALostAnswerIsLookedAt(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	a, b := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	user := newUser(t, b)
	post := newPost(t, b, user)
	var key blog.CommentKey
	a.Between(func() {
		key = firstComment(t, b, post.ID).Key()
		_, err := b.UpdateComment(t.Context(), blog.UpdateComment{Actor: user.ID, Key: key, Content: "edited"})
		must(t, err)
		_, _, err = b.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "another"})
		must(t, err)
	})
	_, _, err := a.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "first text"})
	must(t, err)
	must(t, a.Settle(t.Context()))
	must(t, b.Settle(t.Context()))
	listed, err := b.CommentsByAuthor(t.Context(), user.ID, blog.FirstPage[blog.CommentID](10))
	must(t, err)
	for _, c := range listed.Items {
		if c.Key() == key && c.Content != "edited" {
			t.Errorf("the author's list has %q, the truth %q", c.Content, "edited")
		}
	}
	if found := drifted(t, b); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}

// The same, but the author deletes it.
func TestDeletionBeforeALostAnswerIsLookedAt(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	a, b := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	user := newUser(t, b)
	post := newPost(t, b, user)
	a.Between(func() {
		key := firstComment(t, b, post.ID).Key()
		_, err := b.DeleteComment(t.Context(), blog.DeleteComment{Actor: user.ID, Key: key})
		must(t, err)
	})
	_, count, err := a.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "first text"})
	must(t, err)
	if count.N != 0 {
		t.Errorf("the post has %d comments, want none left", count.N)
	}
	must(t, a.Settle(t.Context()))
	must(t, b.Settle(t.Context()))
	page, err := b.CommentsByPost(t.Context(), blog.CommentsQuery{Post: post.ID, Order: blog.NewestFirst, Page: blog.FirstPage[blog.CommentID](10)})
	must(t, err)
	if len(page.Items) > 0 {
		t.Errorf("an acknowledged deletion was undone: %v", page.Items)
	}
	if found := drifted(t, b); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}

// nameRead runs do once, after the first name was read while it is on.
type nameRead struct {
	on atomic.Bool
	do func()
}

func (n *nameRead) Statement(_ context.Context, s blog.Statement) {
	if s.Table == blog.UsersByID && s.Kind == blog.Read && n.on.CompareAndSwap(true, false) {
		n.do()
	}
}

// Recovery has read the author's name; the author is renamed, wholly, before the copies
// are written.
func TestRecoveryBesideARename(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	a, b := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	user := newUser(t, b)
	post := newPost(t, b, user)
	must(t, b.Settle(t.Context()))
	a.Between(a.Crash)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, _, err := a.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "text"}); err == nil {
		t.Fatal("a server that died has answered")
	}
	hook := &nameRead{do: func() {
		rename(t, b, user.ID, "somebody_else")
		must(t, b.Settle(t.Context()))
	}}
	healer := testkeyspace.Open(t, config, blog.Options{Clock: ahead(time.Minute), Observer: hook})
	hook.on.Store(true)
	must(t, healer.Recover(t.Context()))
	must(t, healer.Settle(t.Context()))
	if hook.on.Load() {
		t.Fatal("no name was read")
	}
	if c := firstComment(t, b, post.ID); c.Author.Username != "somebody_else" {
		t.Errorf("the comment is by %q, who is called somebody_else", c.Author.Username)
	}
	if open := undoneEntries(t, config); open > 0 {
		t.Errorf("%d entries are undone", open)
	}
	if found := drifted(t, b); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}

// Recovery cuts jobs off after 10 s; what they reserved and did not write stays reserved.
func TestWaitsThatAreCancelledOweNothing(t *testing.T) {
	if debt := cassandra.PaceDebt(time.Second/5000, 100, 1000); debt > time.Second {
		t.Errorf("after waits that were cancelled the next write waits %v", debt)
	}
}

// A job that takes longer than recovery's pass, at a rate at which a page of the usual size
// would too, ends all the same.
func TestRecoveryOfSlowJobs(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	b := testkeyspace.Open(t, config, blog.Options{})
	user := newUser(t, b)
	rename(t, b, user.ID, "slowly_renamed")
	must(t, b.Settle(t.Context()))
	var cql []string
	ids := blog.NewIDs(blog.SystemClock{}, rand.Reader)
	for range 600 {
		cql = append(cql, fmt.Sprintf("INSERT INTO %%s.likes_by_user (user_id, bucket, post_id, liked_at) VALUES (%v, 0, %v, 1700000000000) USING TIMESTAMP 1", user.ID, ids.Post()))
	}
	testkeyspace.Execute(t, config, cql...)
	undo(t, config)
	config.JobRate = 50
	healer := longAgo(t, config, time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	ended := make(chan struct{})
	go func() { healer.Maintain(ctx); close(ended) }()
	for undoneEntries(t, config) > 0 {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("entries are open after %d copies", healer.Upkeep().Jobs[blog.RenameJob].Copies)
		}
	}
	cancel()
	<-ended
}
