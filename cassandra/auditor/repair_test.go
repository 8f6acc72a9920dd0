package auditor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/testkeyspace"
)

// small is what one case of damage happens to: nobody else's rows.
type small struct {
	user    blog.User
	post    blog.Post // with one comment and one like, the user's own
	comment blog.Comment
	like    blog.Reaction
	gone    blog.Post // deleted, after a comment and a like
	wound   blog.Comment
	other   blog.UUID // names nothing
}

func newSmall(t *testing.T, store *cassandra.Store) small {
	t.Helper()
	ctx := t.Context()
	var w small
	w.user = testkeyspace.NewUser(t, store)
	w.post, w.gone = testkeyspace.NewPost(t, store, w.user), testkeyspace.NewPost(t, store, w.user)
	for _, p := range []blog.Post{w.gone, w.post} {
		var err error
		w.wound = w.comment
		w.comment, _, err = store.CreateComment(ctx, blog.CreateComment{Author: w.user.ID, Post: p.ID, Content: "c"})
		must(t, err)
		w.like, _, err = store.LikePost(ctx, blog.LikePost{Actor: w.user.ID, Post: p.ID})
		must(t, err)
	}
	must(t, store.DeletePost(ctx, blog.DeletePost{Actor: w.user.ID, Post: w.gone.ID}))
	w.other = w.user.ID.UUID
	w.other[15] ^= 0x55
	return w
}

// publishInGroup has a user publish a post in a group of its own.
func publishInGroup(t *testing.T, store *cassandra.Store, user blog.User) {
	t.Helper()
	g, err := store.CreateGroup(t.Context(), blog.CreateGroup{Owner: user.ID, Name: user.Username, Title: "A group"})
	must(t, err)
	_, _, err = store.JoinGroup(t.Context(), blog.JoinGroup{Actor: user.ID, Group: g.ID})
	must(t, err)
	_, err = store.CreatePost(t.Context(), blog.CreatePost{Author: user.ID, Title: "t", Content: "c", Group: g.ID})
	must(t, err)
}

// damage is done by CQL in which $user, $post … stand for a small's own, and $when for
// the write time.
type damage struct {
	name string
	cql  string
	want []string // table, kind, and what the row's name contains
	near bool     // only with the write time of now: no conditional write passes a later one
	late bool     // only with a later one: what is gone is deleted above now
	lost loss     // what it follows from, nobody knows: a repair keeps it
}

// loss says for how long a repair keeps what follows from nothing known.
type loss int

const (
	lostCopy  loss = iota + 1 // until it is forced
	lostTruth                 // for ever
)

func (w small) fill(text, when string) string {
	email := ""
	if w.user.Email != nil {
		email = *w.user.Email
	}
	return strings.NewReplacer(
		"$when", when, "$user", w.user.ID.String(), "$name", blog.UsernameKey(w.user.Username), "$email", email, "$subject", w.user.Subject,
		"$post", w.post.ID.String(), "$comment", w.comment.ID.String(), "$path", fmt.Sprintf("0x%x", string(w.comment.Place())), "$liked", fmt.Sprint(w.like.At.UnixMilli()),
		"$gone", w.gone.ID.String(), "$wound", w.wound.ID.String(), "$other", w.other.String(),
		"$bucket", w.post.Feed.Bucket, "$shard", fmt.Sprint(w.post.Feed.Shard),
	).Replace(text)
}

var damages = []damage{
	{name: "a wrong count of comments", near: true, cql: "UPDATE comments_by_post SET comment_count = 9 WHERE post_id = $post AND bucket = 0", want: []string{
		"comments_by_post: wrong count: $post", "posts_by_id: wrong count: $post", "posts_by_author: wrong count: $post", "feed_by_bucket: wrong count: $post"}},
	{name: "a wrong count of likes", near: true, cql: "UPDATE like_claims SET like_count = 9 WHERE post_id = $post AND bucket = 0", want: []string{
		"like_claims: wrong count: $post", "posts_by_id: wrong count: $post", "posts_by_author: wrong count: $post", "feed_by_bucket: wrong count: $post", "likes_by_post: wrong count: $post"}},

	{name: "a wrong count beside the post", cql: "UPDATE posts_by_id $when SET comment_count = 9 WHERE post_id = $post", want: []string{"posts_by_id: wrong count: $post"}},
	{name: "a wrong count on the author's list", cql: "UPDATE posts_by_author $when SET like_count = 9 WHERE author_id = $user AND bucket = 0 AND post_id = $post", want: []string{"posts_by_author: wrong count: $post"}},
	{name: "a wrong count in the feed", cql: "UPDATE feed_by_bucket $when SET comment_count = 9 WHERE bucket = '$bucket' AND shard = $shard AND post_id = $post", want: []string{"feed_by_bucket: wrong count: $post"}},
	{name: "a wrong count above the likes", cql: "UPDATE likes_by_post $when SET like_count = 9 WHERE post_id = $post AND bucket = 0", want: []string{"likes_by_post: wrong count: $post"}},

	{name: "a stale name by username", cql: "UPDATE users_by_username $when SET username = 'x' WHERE username_key = '$name' AND user_id = $user", want: []string{"users_by_username: stale value: $user"}},
	{name: "a stale name by e-mail", cql: "UPDATE users_by_email $when SET username = 'x' WHERE email_key = '$email' AND user_id = $user", want: []string{"users_by_email: stale value: $user"}},
	{name: "a stale name by subject", cql: "UPDATE users_by_subject $when SET bio = 'x' WHERE subject_key = '$subject' AND user_id = $user", want: []string{"users_by_subject: stale value: $user"}},
	{name: "a stale name beside a post", cql: "UPDATE posts_by_id $when SET username = 'x' WHERE post_id = $post", want: []string{"posts_by_id: stale value: $post"}},
	{name: "a stale name above the author's posts", cql: "UPDATE posts_by_author $when SET username = 'x' WHERE author_id = $user AND bucket = 0", want: []string{"posts_by_author: stale value: $user"}},
	{name: "a stale name in the feed", cql: "UPDATE feed_by_bucket $when SET username = 'x' WHERE bucket = '$bucket' AND shard = $shard AND post_id = $post", want: []string{"feed_by_bucket: stale value: $post"}},
	{name: "a stale name beside a comment", cql: "UPDATE comments_by_post $when SET username = 'x' WHERE post_id = $post AND bucket = 0 AND comment_id = $comment", want: []string{"comments_by_post: stale value: $comment"}},
	{name: "a stale name above the author's comments", cql: "UPDATE comments_by_author $when SET username = 'x' WHERE author_id = $user AND bucket = 0", want: []string{"comments_by_author: stale value: $user"}},
	{name: "a stale name beside a like", cql: "UPDATE likes_by_post $when SET username = 'x' WHERE post_id = $post AND bucket = 0 AND liked_at = $liked AND user_id = $user", want: []string{"likes_by_post: stale value: $user"}},

	{name: "a stale title", cql: "UPDATE posts_by_author $when SET title = 'x' WHERE author_id = $user AND bucket = 0 AND post_id = $post", want: []string{"posts_by_author: stale value: $post"}},
	{name: "a stale excerpt", cql: "UPDATE feed_by_bucket $when SET excerpt = 'x' WHERE bucket = '$bucket' AND shard = $shard AND post_id = $post", want: []string{"feed_by_bucket: stale value: $post"}},
	{name: "a stale comment", cql: "UPDATE comments_by_author $when SET content = 'x' WHERE author_id = $user AND bucket = 0 AND comment_id = $comment", want: []string{"comments_by_author: stale value: $comment"}},
	{name: "a stale comment in a conversation", cql: "UPDATE comments_by_thread $when SET parent_id = $other WHERE post_id = $post AND bucket = 0 AND path = $path", want: []string{"comments_by_thread: stale value: $post"}},
	{name: "a stale name in a conversation", cql: "UPDATE comments_by_thread $when SET username = 'x' WHERE post_id = $post AND bucket = 0 AND path = $path", want: []string{"comments_by_thread: stale value: $post"}},
	{name: "a comment that names another post", cql: "UPDATE comments_by_author $when SET post_id = $other WHERE author_id = $user AND bucket = 0 AND comment_id = $comment", want: []string{"comments_by_author: stale value: $comment"}},
	{name: "a stale time of a like", cql: "UPDATE likes_by_user $when SET liked_at = 5 WHERE user_id = $user AND bucket = 0 AND post_id = $post", want: []string{"likes_by_user: stale value: $post"}},

	{name: "a user missing by username", cql: "DELETE FROM users_by_username $when WHERE username_key = '$name' AND user_id = $user", want: []string{"users_by_username: missing row: $user"}},
	{name: "a user missing by e-mail", cql: "DELETE FROM users_by_email $when WHERE email_key = '$email'", want: []string{"users_by_email: missing row: $user"}},
	{name: "a user missing by subject", cql: "DELETE FROM users_by_subject $when WHERE subject_key = '$subject'", want: []string{"users_by_subject: missing row: $user"}},
	{name: "a name missing beside a post", cql: "DELETE username, display_name FROM posts_by_id $when WHERE post_id = $post", want: []string{"posts_by_id: missing cells: $post"}},
	{name: "a post missing on its author's list", cql: "DELETE FROM posts_by_author $when WHERE author_id = $user AND bucket = 0 AND post_id = $post", want: []string{"posts_by_author: missing row: $post"}},
	{name: "a name missing above a list", cql: "DELETE username, display_name FROM posts_by_author $when WHERE author_id = $user AND bucket = 0", want: []string{"posts_by_author: missing cells: $user"}},
	{name: "a post missing in the feed", cql: "DELETE FROM feed_by_bucket $when WHERE bucket = '$bucket' AND shard = $shard AND post_id = $post", want: []string{"feed_by_bucket: missing row: $post"}},
	{name: "a name missing beside a comment", cql: "DELETE username, display_name FROM comments_by_post $when WHERE post_id = $post AND bucket = 0 AND comment_id = $comment", want: []string{"comments_by_post: missing cells: $comment"}},
	{name: "a username missing above a list", cql: "DELETE username FROM comments_by_author $when WHERE author_id = $user AND bucket = 0", want: []string{"comments_by_author: stale value: $user"}},
	{name: "another display name beside a post", cql: "UPDATE posts_by_id $when SET display_name = 'x' WHERE post_id = $post", want: []string{"posts_by_id: stale value: $post"}},
	{name: "a whole list of comments missing", cql: "DELETE FROM comments_by_author $when WHERE author_id = $user AND bucket = 0", want: []string{"comments_by_author: missing row: $comment"}},
	{name: "a whole list of likes missing", cql: "DELETE FROM likes_by_post $when WHERE post_id = $post AND bucket = 0", want: []string{"likes_by_post: missing row: $user"}},
	{name: "a like missing among its user's", cql: "DELETE FROM likes_by_user $when WHERE user_id = $user AND bucket = 0 AND post_id = $post", want: []string{"likes_by_user: missing row: $post"}},

	{name: "a ghost by username", cql: "UPDATE users_by_username $when SET bio = 'x' WHERE username_key = '$name' AND user_id = $other", want: []string{"users_by_username: ghost: $other"}},
	{name: "a ghost by e-mail", cql: "UPDATE users_by_email $when SET bio = 'x' WHERE email_key = '$email' AND user_id = $other", want: []string{"users_by_email: ghost: $other"}},
	{name: "a ghost by subject", cql: "UPDATE users_by_subject $when SET bio = 'x' WHERE subject_key = '$subject' AND user_id = $other", want: []string{"users_by_subject: ghost: $other"}},
	{name: "a ghost of a post", cql: "UPDATE posts_by_id $when SET like_count = 1 WHERE post_id = $other", want: []string{"posts_by_id: ghost: $other"}},
	{name: "a ghost on an author's list", cql: "UPDATE posts_by_author $when SET like_count = 1 WHERE author_id = $user AND bucket = 0 AND post_id = $other", want: []string{"posts_by_author: ghost: $other"}},
	{name: "cells beside a dead row of an author's list, which mean nothing", late: true, cql: "UPDATE posts_by_author $when SET like_count = 1 WHERE author_id = $user AND bucket = 0 AND post_id = $gone"},
	{name: "a ghost in the feed", cql: "UPDATE feed_by_bucket $when SET username = 'x' WHERE bucket = '$bucket' AND shard = $shard AND post_id = $other", want: []string{"feed_by_bucket: ghost: $other"}},
	{name: "cells beside a dead row of the feed, which mean nothing", late: true, cql: "UPDATE feed_by_bucket $when SET username = 'x' WHERE bucket = '$bucket' AND shard = $shard AND post_id = $gone"},
	{name: "a ghost of a comment", cql: "UPDATE comments_by_post $when SET username = 'x' WHERE post_id = $post AND bucket = 0 AND comment_id = $other", want: []string{"comments_by_post: ghost: $other"}},
	{name: "a ghost among an author's comments", cql: "UPDATE comments_by_author $when SET version = 1 WHERE author_id = $user AND bucket = 0 AND comment_id = $other", want: []string{"comments_by_author: ghost: $other"}},
	{name: "a ghost of a like", cql: "UPDATE likes_by_post $when SET username = 'x' WHERE post_id = $post AND bucket = 0 AND liked_at = 7 AND user_id = $user", want: []string{"likes_by_post: ghost: $user"}},

	{name: "a former username", cql: "UPDATE users_by_username $when SET username = 'former' WHERE username_key = 'former' AND user_id = $user", want: []string{"users_by_username: row too many: $user"}},
	{name: "a former address", cql: "UPDATE users_by_email $when SET username = 'x' WHERE email_key = 'former@example.org' AND user_id = $user", want: []string{"users_by_email: row too many: $user"}},
	{name: "another subject", cql: "UPDATE users_by_subject $when SET username = 'x' WHERE subject_key = 'former' AND user_id = $user", want: []string{"users_by_subject: row too many: $user"}},
	{name: "a deleted post on its author's list", late: true, cql: "UPDATE posts_by_author $when SET title = 'x' WHERE author_id = $user AND bucket = 0 AND post_id = $gone", want: []string{"posts_by_author: row too many: $gone"}},
	{name: "a list of nobody's", lost: lostCopy, cql: "UPDATE posts_by_author $when SET username = 'x' WHERE author_id = $other AND bucket = 0", want: []string{"posts_by_author: lost truth: $other"}},
	{name: "a deleted post in the feed", late: true, cql: "UPDATE feed_by_bucket $when SET title = 'x' WHERE bucket = '$bucket' AND shard = $shard AND post_id = $gone", want: []string{"feed_by_bucket: row too many: $gone"}},
	{name: "a post in another part of the feed", cql: "UPDATE feed_by_bucket $when SET title = 'x' WHERE bucket = '$bucket' AND shard = 77 AND post_id = $post", want: []string{"feed_by_bucket: row too many: 77"}},
	{name: "a comment on a deleted post", late: true, cql: "UPDATE comments_by_author $when SET content = 'x', post_id = $gone WHERE author_id = $user AND bucket = 0 AND comment_id = $wound", want: []string{"comments_by_author: row too many: $wound"}},
	{name: "a like that was never given", lost: lostCopy, cql: "UPDATE likes_by_post $when SET liked = true, username = 'x' WHERE post_id = $post AND bucket = 0 AND liked_at = 7 AND user_id = $other", want: []string{"likes_by_post: lost truth: $other"}},
	{name: "a like of a deleted post", late: true, cql: "UPDATE likes_by_user $when SET liked_at = 7 WHERE user_id = $user AND bucket = 0 AND post_id = $gone", want: []string{"likes_by_user: row too many: $gone"}},

	{name: "an orphaned comment", late: true, cql: "UPDATE comments_by_post $when SET author_id = $user, content = 'x', updated_at = 7, edits = 1 WHERE post_id = $gone AND bucket = 0 AND comment_id = $wound", want: []string{"comments_by_post: orphan: $gone"}},
	{name: "an orphaned like", cql: "UPDATE like_claims $when SET liked = true, liked_at = 7 WHERE post_id = $gone AND bucket = 0 AND user_id = $user", want: []string{"like_claims: orphan: $gone"}},
	{name: "a comment on a post that never was", lost: lostTruth, cql: "UPDATE comments_by_post $when SET author_id = $user, content = 'x', updated_at = 7, edits = 1 WHERE post_id = $other AND bucket = 0 AND comment_id = $wound", want: []string{"comments_by_post: lost truth: $other"}},
	{name: "a like of a post that never was", lost: lostTruth, cql: "UPDATE like_claims $when SET liked = true, liked_at = 7 WHERE post_id = $other AND bucket = 0 AND user_id = $user", want: []string{"like_claims: lost truth: $other"}},

	{name: "a name that is no more its owner's", near: true, cql: "UPDATE username_claims SET user_id = $user, command_id = $other WHERE username_key = 'former'", want: []string{"username_claims: row too many: $user"}},
	{name: "a name whose owner never was", near: true, cql: "UPDATE username_claims SET user_id = $other, command_id = $other WHERE username_key = 'unborn'", want: []string{"username_claims: row too many: $other"}},
	{name: "an address without its claim", near: true, cql: "DELETE FROM email_claims WHERE email_key = '$email'", want: []string{"email_claims: missing row: $user"}},
	{name: "a subject without its claim", near: true, cql: "DELETE FROM subject_claims WHERE subject_key = '$subject'", want: []string{"subject_claims: missing row: $user"}},
	{name: "a comment without its number of edits", near: true, cql: "UPDATE comments_by_post SET edits = null WHERE post_id = $post AND bucket = 0 AND comment_id = $comment", want: []string{
		"comments_by_post: contradiction: $comment", "comments_by_author: lost truth: $comment", "comments_by_post_and_author: lost truth: $comment", "comments_by_thread: lost truth: $post"}},

	{name: "a bucket with other bounds", cql: "UPDATE feed_buckets $when SET starts_at = 7 WHERE feed = 0 AND ends_at = 9 AND bucket = '$bucket' AND shard = 5", want: []string{"feed_buckets: row too many: $bucket"}},
}

// Each kind of damage is found, named, and mended, whatever its write time. The
// queries then answer as before.
func testRepair(t *testing.T, config cassandra.Config) {
	for when, round := range map[string]struct {
		using string
		near  bool
	}{
		"with the time of now":          {"", true},
		"with a time in the far future": {late, false},
	} {
		t.Run(when, func(t *testing.T) {
			store := testkeyspace.Emptied(t, config)
			var worlds []small
			for range damages {
				worlds = append(worlds, newSmall(t, store))
			}
			must(t, store.Settle(t.Context()))
			before := answers(t, store, worlds)
			wantDrift(t, "before any damage", verified(t, store, audit.Verifying{}), nil)

			var cql, want []string
			kept := map[loss][]string{}
			for i, d := range damages {
				if d.near && !round.near || d.late && round.near {
					continue
				}
				cql = append(cql, keyspaced(worlds[i].fill(d.cql, round.using)))
				for _, w := range d.want {
					want = append(want, worlds[i].fill(w, ""))
					kept[d.lost] = append(kept[d.lost], worlds[i].fill(w, ""))
				}
			}
			testkeyspace.Execute(t, config, cql...)
			wantDrift(t, "the damage", verified(t, store, audit.Verifying{}), want)

			wantLeft(t, verified(t, store, audit.Verifying{Repair: true}), len(kept[lostCopy])+len(kept[lostTruth]))
			wantDrift(t, "after the repair", verified(t, store, audit.Verifying{}), append(kept[lostCopy], kept[lostTruth]...))
			wantLeft(t, verified(t, store, audit.Verifying{Repair: true, Force: true}), len(kept[lostTruth]))
			wantDrift(t, "after the forced repair", verified(t, store, audit.Verifying{}), kept[lostTruth])
			for i, after := range answers(t, store, worlds) {
				if after != before[i] {
					t.Errorf("a query answers %s, before the damage %s", after, before[i])
				}
			}
			goOn(t, store, worlds)
			wantDrift(t, "after more commands", verified(t, store, audit.Verifying{}), kept[lostTruth])
			for _, w := range worlds {
				must(t, store.DeletePost(t.Context(), blog.DeletePost{Actor: w.user.ID, Post: w.post.ID}))
			}
			must(t, store.Settle(t.Context()))
			wantDrift(t, "after the posts were deleted", verified(t, store, audit.Verifying{}), kept[lostTruth])
		})
	}
}

// wantLeft checks that a repair leaves so much, and something repaired.
func wantLeft(t *testing.T, repaired audit.Verified, left int) {
	t.Helper()
	if repaired.Left() == left && repaired.Repaired() > 0 {
		return
	}
	t.Errorf("%d repaired, %d left, want %d", repaired.Repaired(), repaired.Left(), left)
	for _, table := range repaired.Tables {
		for _, d := range table.Examples {
			if d.Left != "" {
				t.Errorf("%s: %s: %s: %s", d.Table, d.Kind, d.Row, d.Left)
			}
		}
	}
}

// goOn gives commands that touch what was mended.
func goOn(t *testing.T, store *cassandra.Store, worlds []small) {
	t.Helper()
	ctx := t.Context()
	for i, w := range worlds {
		_, err := store.UnlikePost(ctx, blog.UnlikePost{Actor: w.user.ID, Post: w.post.ID})
		must(t, err)
		_, err = store.UpdateUser(ctx, blog.UpdateUser{Actor: w.user.ID, Username: blog.SetTo(fmt.Sprintf("%.20s_%d", w.user.Username, i))})
		must(t, err)
		_, _, err = store.LikePost(ctx, blog.LikePost{Actor: w.user.ID, Post: w.post.ID})
		must(t, err)
		_, err = store.UpdatePost(ctx, blog.UpdatePost{Actor: w.user.ID, Post: w.post.ID, Title: blog.SetTo("another")})
		must(t, err)
		_, err = store.UpdateComment(ctx, blog.UpdateComment{Actor: w.user.ID, Key: w.comment.Key(), Content: "another"})
		must(t, err)
	}
	must(t, store.Settle(ctx))
}

// keyspaced puts the keyspace before the table's name, and a deletion's write time
// where CQL has it.
func keyspaced(cql string) string {
	for _, verb := range []string{"UPDATE ", "FROM "} {
		if head, rest, ok := strings.Cut(cql, verb); ok {
			return head + verb + "%s." + rest
		}
	}
	return cql
}

func verified(t *testing.T, store *cassandra.Store, how audit.Verifying) audit.Verified {
	t.Helper()
	began := time.Now()
	got, err := how.Run(t.Context(), store)
	must(t, err)
	t.Logf("verified in %s (repair %t)", time.Since(began), how.Repair)
	if got.InFlight() > 0 {
		t.Errorf("%d rows in flight although nothing runs", got.InFlight())
	}
	return got
}

func found(v audit.Verified) (all []string) {
	for _, table := range v.Tables {
		for _, d := range table.Examples {
			all = append(all, fmt.Sprintf("%s: %s: %s (%s) %s", d.Table, d.Kind, d.Row, d.Problem, d.Left))
		}
	}
	return all
}

// wantDrift checks that what was found are these: a table, a kind, and a part of the
// row's name each.
func wantDrift(t *testing.T, what string, got audit.Verified, want []string) {
	t.Helper()
	all := found(got)
	for _, w := range want {
		prefix, key := w[:strings.LastIndex(w, ": ")+2], w[strings.LastIndex(w, ": ")+2:]
		i := slices.IndexFunc(all, func(f string) bool { return strings.HasPrefix(f, prefix) && strings.Contains(f, key) })
		if i < 0 {
			t.Errorf("%s: %s was not found", what, w)
			continue
		}
		all = slices.Delete(all, i, i+1)
	}
	for _, f := range all {
		t.Errorf("%s: found %s", what, f)
	}
	if got.Drifted() != len(want) {
		t.Errorf("%s: %d drifted, want %d", what, got.Drifted(), len(want))
	}
}

// answers is what the queries say of the worlds.
func answers(t *testing.T, store *cassandra.Store, worlds []small) (all []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	say := func(value any, err error) {
		if err != nil {
			value = err
		}
		all = append(all, unstamped(value))
	}
	for _, w := range worlds {
		say(store.UserByUsername(ctx, w.user.Username))
		say(store.UserByEmail(ctx, *w.user.Email))
		say(store.UserBySubject(ctx, w.user.Subject))
		say(store.PostByID(ctx, w.post.ID))
		say(store.PostByID(ctx, w.gone.ID))
		say(store.PostsByAuthor(ctx, w.user.ID, blog.FirstPage[blog.PostID](10)))
		say(store.CommentsByPost(ctx, blog.CommentsQuery{Post: w.post.ID, Page: blog.FirstPage[blog.CommentID](10)}))
		say(store.CommentsByAuthor(ctx, w.user.ID, blog.FirstPage[blog.CommentID](10)))
		say(store.LikesByPost(ctx, w.post.ID, blog.FirstPage[blog.ReactionPosition](10)))
		say(store.LikedPosts(ctx, w.user.ID, []blog.UUID{w.post.ID.UUID, w.gone.ID.UUID}))
	}
	say(store.Feed(ctx, blog.FirstPage[blog.PostID](100)))
	return all
}

// unstamped shows a value without its stamps, which a repair raises.
func unstamped(value any) string {
	switch v := value.(type) {
	case blog.User:
		v.Stamp = 0
		return fmt.Sprintf("%v %q %q %v", v.ID, v.Username, v.Subject, v.Version)
	case blog.Post:
		return unstampedPost(v)
	case blog.Page[blog.Post]:
		var all []string
		for _, p := range v.Items {
			all = append(all, unstampedPost(p))
		}
		return strings.Join(all, "; ")
	case blog.CommentPage:
		return asText(v.Items, v.Count.N)
	case blog.ReactionPage:
		return asText(v.Items, v.Count.N)
	}
	return asText(value)
}

func unstampedPost(p blog.Post) string {
	p.Stamp, p.Comments.Stamp, p.Likes.Stamp = 0, 0, 0
	return asText(p)
}

func asText(values ...any) string {
	for i, value := range values {
		if err, failed := value.(error); failed {
			values[i] = err.Error()
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A repair that can't raise a damaged truth above its copy names the row that refuses, after
// few statements.
func TestDamagedRowsEndRepairs(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	var made atomic.Int64
	store := testkeyspace.Open(t, config, blog.Options{Observer: observing(func(blog.Statement) { made.Add(1) })})
	user := testkeyspace.NewUser(t, store)
	post := testkeyspace.NewPost(t, store, user)
	must(t, store.Settle(t.Context()))
	testkeyspace.Execute(t, config,
		fmt.Sprintf("UPDATE %%s.posts_by_id SET stamp = null WHERE post_id = %v", post.ID),
		fmt.Sprintf("UPDATE %%s.posts_by_author %s SET title = 'x' WHERE author_id = %v AND bucket = 0 AND post_id = %v", late, user.ID, post.ID))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // which a repair without end would take
	defer cancel()
	before := made.Load()
	err := store.Repair(ctx, audit.Drift{Table: blog.PostsByAuthor, Kind: audit.StaleValue, Key: []any{user.ID, post.ID}})
	if blog.KindOf(err) != blog.Internal || !strings.Contains(err.Error(), post.ID.String()) {
		t.Errorf("the error is %v", err)
	}
	if n := made.Load() - before; n > 40 {
		t.Errorf("%d statements were made", n)
	}
}
