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
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

func firstComment(t *testing.T, store *cassandra.Store, post blog.PostID) blog.Comment {
	t.Helper()
	page, err := store.CommentsByPost(t.Context(), blog.CommentsQuery{Post: post, Page: blog.FirstPage[blog.CommentID](10)})
	must(t, err)
	return page.Items[len(page.Items)-1]
}

// The answer to a comment's batch is lost; its author, on another server, edits it before
// this one has looked.
func TestEditBeforeALostAnswerIsLookedAt(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	a, b := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, b)
	post := testkeyspace.NewPost(t, b, user)
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
	if found := testkeyspace.Drifted(t, b); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}

// The same, but the author deletes it.
func TestDeletionBeforeALostAnswerIsLookedAt(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	a, b := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, b)
	post := testkeyspace.NewPost(t, b, user)
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
	page, err := b.CommentsByPost(t.Context(), blog.CommentsQuery{Post: post.ID, Page: blog.FirstPage[blog.CommentID](10)})
	must(t, err)
	if len(page.Items) > 0 {
		t.Errorf("an acknowledged deletion was undone: %v", page.Items)
	}
	if found := testkeyspace.Drifted(t, b); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}

// A like is taken back, and before its row is deleted its user is renamed, wholly: the walk meets
// the row and writes the name to it above the deletion that is to come. The user may be erased by then, too: no row
// has either name.
func TestUnlikeBesideARename(t *testing.T) {
	t.Parallel()
	for name, erased := range map[string]bool{"a rename": false, "a rename and an erasure": true} {
		t.Run(name, func(t *testing.T) {
			config := testkeyspace.New(t)
			b := testkeyspace.Open(t, config, blog.Options{})
			user := testkeyspace.NewUser(t, b)
			post := testkeyspace.NewPost(t, b, testkeyspace.NewUser(t, b))
			_, _, err := b.LikePost(t.Context(), blog.LikePost{Actor: user.ID, Post: post.ID})
			must(t, err)
			must(t, b.Settle(t.Context()))
			hook := &afterStatement{table: blog.LikeClaims, kind: blog.Conditional, do: func() {
				rename(t, b, user.ID, "renamed_meanwhile")
				must(t, b.Settle(t.Context()))
				if erased {
					must(t, b.DeleteAccount(t.Context(), blog.DeleteAccount{Role: blog.Operator, User: user.ID}))
					must(t, b.Settle(t.Context()))
				}
			}}
			a := testkeyspace.Open(t, config, blog.Options{Observer: hook})
			hook.on.Store(true)
			_, err = a.UnlikePost(t.Context(), blog.UnlikePost{Actor: user.ID, Post: post.ID})
			must(t, err)
			must(t, a.Settle(t.Context()))
			if hook.on.Load() {
				t.Fatal("nothing was taken back")
			}
			testkeyspace.WantClean(t, config, b)
			if erased {
				storetest.WantNowhere(t, testkeyspace.EveryText(t, config), user.Username, "renamed_meanwhile")
			}
		})
	}
}

// afterStatement runs do once, after the first statement of a kind on a table while it is on.
type afterStatement struct {
	table blog.Table
	kind  blog.StatementKind
	on    atomic.Bool
	do    func()
}

func (a *afterStatement) Statement(_ context.Context, s blog.Statement) {
	if s.Table == a.table && s.Kind == a.kind && a.on.CompareAndSwap(true, false) {
		a.do()
	}
}

// Recovery has read the author's name; the author is renamed, wholly, before the copies
// are written.
func TestRecoveryBesideARename(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	a, b := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, b)
	post := testkeyspace.NewPost(t, b, user)
	must(t, b.Settle(t.Context()))
	a.Between(a.Crash)
	if _, _, err := a.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "text"}); err == nil {
		t.Fatal("a server that died has answered")
	}
	hook := &afterStatement{table: blog.UsersByID, kind: blog.Read, do: func() {
		rename(t, b, user.ID, "somebody_else")
		must(t, b.Settle(t.Context()))
	}}
	healer := testkeyspace.Open(t, config, blog.Options{Clock: ahead(time.Minute), Observer: hook})
	hook.on.Store(true)
	must(t, recovered(t.Context(), healer))
	must(t, healer.Settle(t.Context()))
	if hook.on.Load() {
		t.Fatal("no name was read")
	}
	if c := firstComment(t, b, post.ID); c.Author.Username != "somebody_else" {
		t.Errorf("the comment is by %q, who is called somebody_else", c.Author.Username)
	}
	if open := testkeyspace.Undone(t, config); open > 0 {
		t.Errorf("%d entries are undone", open)
	}
	if found := testkeyspace.Drifted(t, b); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}

// A job that takes longer than recovery's pass, at a rate at which a page of the usual size
// would too, ends all the same.
func TestRecoveryOfSlowJobs(t *testing.T) {
	t.Parallel()
	healer, open := slowJob(t, 100)
	passes := 0
	for ; open() && !t.Failed(); passes++ { // each longer than the one before: a busy machine gets somewhere too
		pass, cancel := context.WithTimeout(t.Context(), time.Duration(1+passes)*time.Second)
		if err := healer.Recover(pass); err != nil && pass.Err() == nil {
			t.Error(err)
		}
		cancel()
	}
	if passes < 2 {
		t.Errorf("it ended in %d pass", passes)
	}
}

// TestSoakRecoveryOfSlowJobs is the same by the worker of every server, and its passes.
func TestSoakRecoveryOfSlowJobs(t *testing.T) {
	storetest.Soaks(t)
	healer, open := slowJob(t, 600)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	ended := make(chan struct{})
	go func() { healer.Maintain(ctx); close(ended) }()
	for open() {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("entries are open after %d copies", healer.Upkeep().Jobs[blog.RenameJob].Copies)
		}
	}
	cancel()
	<-ended
}

// slowJob leaves a rename of so many rows to a server that writes 50 copies a second.
func slowJob(t *testing.T, rows int) (healer *cassandra.Store, open func() bool) {
	config := testkeyspace.New(t)
	b := testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, b)
	rename(t, b, user.ID, "slowly_renamed")
	must(t, b.Settle(t.Context()))
	var cql []string
	ids := blog.NewIDs(blog.SystemClock{}, rand.Reader)
	for range rows {
		cql = append(cql, fmt.Sprintf("INSERT INTO %%s.likes_by_user (user_id, bucket, post_id, liked_at) VALUES (%v, 0, %v, 1700000000000) USING TIMESTAMP 1", user.ID, ids.Post()))
	}
	testkeyspace.Execute(t, config, cql...)
	undo(t, config)
	config.JobRate = 50
	return longAgo(t, config, time.Minute), func() bool { return testkeyspace.Undone(t, config) > 0 }
}

// headRead runs do once, after the first read of a table that follows a conditional write
// of it: where a command that was refused has read the head, and not yet its own row.
type headRead struct {
	table   blog.Table
	refused atomic.Bool
	done    atomic.Bool
	do      func()
}

func (h *headRead) Statement(_ context.Context, s blog.Statement) {
	switch {
	case s.Table != h.table:
	case s.Kind == blog.Conditional:
		h.refused.Store(true)
	case h.refused.Load() && h.done.CompareAndSwap(false, true):
		h.do()
	}
}

// A server goes by a head that is old, is refused, and looks what became of its change;
// meanwhile another server makes the same change. The count that is told with it has it.
func TestOwnChangeIsInTheCountThatIsTold(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	b := testkeyspace.Open(t, config, blog.Options{})
	users := newUsers(t, b, 3)
	liker := users[2].ID
	for name, tc := range map[string]struct {
		table  blog.Table
		change func(store *cassandra.Store, user blog.UserID, post blog.PostID) (blog.Count, error)
	}{
		"like": {blog.LikeClaims, func(store *cassandra.Store, user blog.UserID, post blog.PostID) (blog.Count, error) {
			_, count, err := store.LikePost(t.Context(), blog.LikePost{Actor: user, Post: post})
			return count, err
		}},
		"comment with a key": {blog.CommentsByPost, func(store *cassandra.Store, user blog.UserID, post blog.PostID) (blog.Count, error) {
			key := "of " + user.String()
			_, count, err := store.CreateComment(t.Context(), blog.CreateComment{Author: user, Post: post, Content: "text", IdempotencyKey: &key})
			return count, err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			post := testkeyspace.NewPost(t, b, users[0]).ID
			hook := &headRead{table: tc.table}
			a := testkeyspace.Open(t, config, blog.Options{Observer: hook})
			hook.done.Store(true)
			for i, store := range []*cassandra.Store{a, b} { // a's head is old then
				_, err := tc.change(store, users[i].ID, post)
				must(t, err)
			}
			must(t, a.Settle(t.Context()))
			hook.do = func() {
				count, err := tc.change(b, liker, post)
				must(t, err)
				if count.N != 3 {
					t.Errorf("the other server was told %d, want 3", count.N)
				}
			}
			hook.refused.Store(false)
			hook.done.Store(false)
			count, err := tc.change(a, liker, post)
			must(t, err)
			if !hook.done.Load() {
				t.Fatal("nothing was read after a refusal")
			}
			if count.N != 3 {
				t.Errorf("the count told is %d, want 3: it lacks the change itself", count.N)
			}
		})
	}
}

// A server dies when its comment, the last that the post may hold, is written and its
// idempotency key does not know yet. Whoever comes with the key again is told the comment,
// and not that the post is full.
func TestLastCommentOfAKeyIsKept(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	a, b := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, b)
	post := testkeyspace.NewPost(t, b, user)
	must(t, b.Settle(t.Context()))
	setComments(t, config, post.ID, blog.MaxCommentsOfPost-1)
	a.Between(a.Crash)
	last := blog.CreateComment{Author: user.ID, Post: post.ID, Content: "the last", IdempotencyKey: new("key")}
	if _, _, err := a.CreateComment(t.Context(), last); err == nil {
		t.Fatal("a server that died has answered")
	}
	for range 2 {
		comment, count, err := b.CreateComment(t.Context(), last)
		must(t, err)
		if comment.Content != last.Content || count.N != blog.MaxCommentsOfPost {
			t.Errorf("the key has made %q, of %d comments", comment.Content, count.N)
		}
	}
	last.IdempotencyKey = new("another")
	if _, _, err := b.CreateComment(t.Context(), last); blog.KindOf(err) != blog.Invalid {
		t.Errorf("one more comment: %v", err)
	}
}

// A server dies when a reply, or a post in a group, is written, and its idempotency key does not know yet; then what it
// replies to is deleted, and its author leaves the group. Whoever comes with the key again is told what was made.
func TestWhatIsAllowedNoMoreIsKept(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	b := testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, b)
	post := testkeyspace.NewPost(t, b, user)
	parent, _, err := b.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "parent"})
	must(t, err)
	group, err := b.CreateGroup(t.Context(), blog.CreateGroup{Owner: user.ID, Name: "kept", Title: "Kept"})
	must(t, err)
	_, _, err = b.JoinGroup(t.Context(), blog.JoinGroup{Actor: user.ID, Group: group.ID})
	must(t, err)
	reply := blog.CreateComment{Author: user.ID, Post: post.ID, Content: "reply", Parent: parent.Key(), IdempotencyKey: new("reply")}
	within := blog.CreatePost{Author: user.ID, Title: "T", Content: "within", Group: group.ID, IdempotencyKey: new("post")}
	diesAfter(t, config, blog.CommentsByPost, func(s *cassandra.Store) { _, _, _ = s.CreateComment(t.Context(), reply) })
	diesAfter(t, config, blog.PostsByID, func(s *cassandra.Store) { _, _ = s.CreatePost(t.Context(), within) })
	_, err = b.DeleteComment(t.Context(), blog.DeleteComment{Actor: user.ID, Key: parent.Key()})
	must(t, err)
	_, err = b.LeaveGroup(t.Context(), blog.LeaveGroup{Actor: user.ID, Group: group.ID})
	must(t, err)
	for range 2 {
		comment, _, err := b.CreateComment(t.Context(), reply)
		must(t, err)
		made, err := b.CreatePost(t.Context(), within)
		must(t, err)
		if comment.Content != reply.Content || made.Content != within.Content || made.Group != group.ID {
			t.Errorf("the keys have made %+v and %+v", comment, made)
		}
	}
	wantVerified(t, b)
}

// diesAfter has a server die behind its first conditional statement on a table.
func diesAfter(t *testing.T, config cassandra.Config, table blog.Table, command func(*cassandra.Store)) {
	t.Helper()
	dies := &afterStatement{table: table, kind: blog.Conditional}
	s := testkeyspace.Open(t, config, blog.Options{Observer: dies})
	dies.do = s.Crash
	dies.on.Store(true)
	command(s)
	if dies.on.Load() {
		t.Fatalf("there was no conditional statement on %s", table)
	}
}

// A command whose key is taken, and of which nothing was made, is refused as if there had been none before.
func TestWhatWasNotMadeIsRefused(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	b := testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, b)
	post := testkeyspace.NewPost(t, b, user)
	parent, _, err := b.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "parent"})
	must(t, err)
	_, err = b.DeleteComment(t.Context(), blog.DeleteComment{Actor: user.ID, Key: parent.Key()})
	must(t, err)
	group, err := b.CreateGroup(t.Context(), blog.CreateGroup{Owner: user.ID, Name: "left", Title: "Left"})
	must(t, err)
	reply := blog.CreateComment{Author: user.ID, Post: post.ID, Content: "reply", Parent: parent.Key(), IdempotencyKey: new("reply")}
	within := blog.CreatePost{Author: user.ID, Title: "T", Content: "within", Group: group.ID, IdempotencyKey: new("post")}
	diesAfter(t, config, blog.IdempotencyKeys, func(s *cassandra.Store) { _, _, _ = s.CreateComment(t.Context(), reply) })
	diesAfter(t, config, blog.IdempotencyKeys, func(s *cassandra.Store) { _, _ = s.CreatePost(t.Context(), within) })
	for range 2 {
		if _, _, err := b.CreateComment(t.Context(), reply); blog.KindOf(err) != blog.NotFound {
			t.Errorf("a reply to what is gone: %v", err)
		}
		if _, err := b.CreatePost(t.Context(), within); blog.KindOf(err) != blog.Forbidden {
			t.Errorf("a post in another's group: %v", err)
		}
	}
}

// An author's membership of a group changes between two attempts of one key, of which the first has read it before and
// goes on after the other: both answer what that one did, and what is refused stands nowhere.
func TestTwoAttemptsOfAKeyAgree(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	b := testkeyspace.Open(t, config, blog.Options{})
	for _, joined := range []bool{false, true} {
		user := testkeyspace.NewUser(t, b)
		group, err := b.CreateGroup(t.Context(), blog.CreateGroup{Owner: user.ID, Name: fmt.Sprint("member_", joined), Title: "Agree"})
		must(t, err)
		if joined {
			_, _, err = b.JoinGroup(t.Context(), blog.JoinGroup{Actor: user.ID, Group: group.ID})
			must(t, err)
		}
		within := blog.CreatePost{Author: user.ID, Title: "T", Content: "within", Group: group.ID, IdempotencyKey: new("key")}
		var other blog.Post
		var refused error
		hook := &afterStatement{table: blog.Members.ByUser, kind: blog.Read, do: func() {
			if joined {
				_, err = b.LeaveGroup(t.Context(), blog.LeaveGroup{Actor: user.ID, Group: group.ID})
			} else {
				_, _, err = b.JoinGroup(t.Context(), blog.JoinGroup{Actor: user.ID, Group: group.ID})
			}
			must(t, err)
			other, refused = b.CreatePost(t.Context(), within)
		}}
		a := testkeyspace.Open(t, config, blog.Options{Observer: hook})
		hook.on.Store(true)
		post, err := a.CreatePost(t.Context(), within)
		if post.ID != other.ID || blog.KindOf(err) != blog.KindOf(refused) || joined == (refused == nil) {
			t.Errorf("joined %v: the first attempt answered %v (%v), the other %v (%v)", joined, post.ID, err, other.ID, refused)
		}
		must(t, a.Settle(t.Context()))
		posts, err := b.PostsByAuthor(t.Context(), user.ID, blog.FirstPage[blog.PostID](10))
		must(t, err)
		if stands := len(posts.Items) > 0; stands != (refused == nil) {
			t.Errorf("joined %v: it stands %v, and was answered with %v", joined, stands, refused)
		}
	}
	wantVerified(t, b)
}

// setComments makes a store believe that a post without comments has so many.
func setComments(t *testing.T, config cassandra.Config, post blog.PostID, n int) {
	t.Helper()
	testkeyspace.Execute(t, config, fmt.Sprintf(
		"UPDATE %%s.comments_by_post SET comment_count = %d, version = 1, stamp = %d WHERE post_id = %v AND bucket = 0 IF version = null", n, post.Stamp(), post))
}

// A server has read that a like was not given, and knows the post as full. Meanwhile another
// one takes a like back and gives this one: whoever gives it, too, is told that it is given.
func TestLastLikeMayBeGivenTwiceAtOnce(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	b := testkeyspace.Open(t, config, blog.Options{})
	users := newUsers(t, b, 2)
	post := testkeyspace.NewPost(t, b, users[0])
	must(t, b.Settle(t.Context()))
	testkeyspace.Execute(t, config, fmt.Sprintf(
		"UPDATE %%s.like_claims SET like_count = %d, version = 1, stamp = %d WHERE post_id = %v AND bucket = 0 IF version = null", blog.MaxLikesOfPost-1, post.Stamp, post.ID))
	first, last := blog.LikePost{Actor: users[0].ID, Post: post.ID}, blog.LikePost{Actor: users[1].ID, Post: post.ID}
	hook := &claimRead{}
	hook.done.Store(true)
	a := testkeyspace.Open(t, config, blog.Options{Observer: hook})
	_, _, err := a.LikePost(t.Context(), first)
	must(t, err)
	_, err = a.UnlikePost(t.Context(), blog.UnlikePost(last)) // a process reads a claim that it has met
	must(t, err)
	must(t, a.Settle(t.Context()))
	hook.do = func() {
		_, err := b.UnlikePost(t.Context(), blog.UnlikePost(first))
		must(t, err)
		_, _, err = b.LikePost(t.Context(), last)
		must(t, err)
	}
	hook.done.Store(false)
	_, count, err := a.LikePost(t.Context(), last)
	must(t, err)
	if count.N != blog.MaxLikesOfPost || !hook.done.Load() {
		t.Errorf("the post has %d likes, want %d", count.N, blog.MaxLikesOfPost)
	}
}

// claimRead runs do once, after a claim was read that was not made.
type claimRead struct {
	done atomic.Bool
	do   func()
}

func (c *claimRead) Statement(_ context.Context, s blog.Statement) {
	if s.Table == blog.LikeClaims && s.Kind == blog.Read && s.Rows == 0 && c.done.CompareAndSwap(false, true) {
		c.do()
	}
}
