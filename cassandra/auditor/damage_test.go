package auditor_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// late is a write time above all others.
const late = "USING TIMESTAMP 9000000000000000"

// Cells without their row are skipped, however many stand together, and the page is
// filled up behind them.
func testGhosts(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	ctx := t.Context()
	user := testkeyspace.NewUser(t, store)
	post := testkeyspace.NewPost(t, store, user)
	var ghosts []string
	for i := range 15 {
		other := blog.PostID{UUID: post.ID.UUID}
		other.UUID[15] ^= byte(i + 1)
		comment := blog.CommentID{UUID: other.UUID}
		ghosts = append(ghosts,
			fmt.Sprintf("UPDATE %%s.posts_by_author %s SET like_count = 1 WHERE author_id = %v AND bucket = 0 AND post_id = %v", late, user.ID, other),
			fmt.Sprintf("UPDATE %%s.comments_by_post %s SET username = 'x' WHERE post_id = %v AND bucket = 0 AND comment_id = %v", late, post.ID, comment),
			fmt.Sprintf("UPDATE %%s.likes_by_post %s SET username = 'x' WHERE post_id = %v AND bucket = 0 AND liked_at = '2030-01-01' AND user_id = %v", late, post.ID, comment),
			fmt.Sprintf("UPDATE %%s.comments_by_author %s SET version = 1 WHERE author_id = %v AND bucket = 0 AND comment_id = %v", late, user.ID, comment),
		)
	}
	comment, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
	must(t, err)
	like, _, err := store.LikePost(ctx, blog.LikePost{Actor: user.ID, Post: post.ID})
	must(t, err)
	must(t, store.Settle(ctx))
	testkeyspace.Execute(t, config, ghosts...)

	for _, backward := range []bool{false, true} {
		posts, err := store.PostsByAuthor(ctx, user.ID, blog.PageRequest[blog.PostID]{Limit: 2, Backward: backward})
		must(t, err)
		comments, err := store.CommentsByPost(ctx, blog.CommentsQuery{Post: post.ID, Page: blog.PageRequest[blog.CommentID]{Limit: 2, Backward: backward}})
		must(t, err)
		likes, err := store.LikesByPost(ctx, post.ID, blog.PageRequest[blog.ReactionPosition]{Limit: 2, Backward: backward})
		must(t, err)
		mine, err := store.CommentsByAuthor(ctx, user.ID, blog.PageRequest[blog.CommentID]{Limit: 2, Backward: backward})
		must(t, err)
		switch {
		case len(posts.Items) != 1 || posts.Items[0].ID != post.ID || posts.HasNext || posts.HasPrevious:
			t.Errorf("posts: %+v", posts)
		case len(comments.Items) != 1 || !reflect.DeepEqual(comments.Items[0], comment) || comments.Count.N != 1 || comments.HasNext || comments.HasPrevious:
			t.Errorf("comments: %+v", comments)
		case len(likes.Items) != 1 || !reflect.DeepEqual(likes.Items[0], like) || likes.Count.N != 1 || likes.HasNext || likes.HasPrevious:
			t.Errorf("likes: %+v", likes)
		case len(mine.Items) != 1 || !reflect.DeepEqual(mine.Items[0], comment) || mine.HasNext || mine.HasPrevious:
			t.Errorf("the author's comments: %+v", mine)
		}
	}
	if _, err := store.CommentByKey(ctx, blog.CommentKey{Post: post.ID, Comment: blog.CommentID{UUID: testkeyspace.NewPost(t, store, user).ID.UUID}}); !blog.IsNotFound(err) {
		t.Errorf("a comment that is not there: %v", err)
	}
}

// A row whose copy of the username has not arrived yet shows the one of the truth.
func testMissingUsernames(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	ctx := t.Context()
	user := testkeyspace.NewUser(t, store)
	post := testkeyspace.NewPost(t, store, user)
	comment, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
	must(t, err)
	like, _, err := store.LikePost(ctx, blog.LikePost{Actor: user.ID, Post: post.ID})
	must(t, err)
	must(t, store.Settle(ctx))
	testkeyspace.Execute(t, config,
		fmt.Sprintf("DELETE username FROM %%s.posts_by_id WHERE post_id = %v", post.ID),
		fmt.Sprintf("DELETE username FROM %%s.posts_by_author WHERE author_id = %v AND bucket = 0", user.ID),
		fmt.Sprintf("DELETE username FROM %%s.feed_by_bucket WHERE bucket = '%s' AND shard = %d AND post_id = %v", post.Feed.Bucket, post.Feed.Shard, post.ID),
		fmt.Sprintf("DELETE username FROM %%s.comments_by_post WHERE post_id = %v AND bucket = 0 AND comment_id = %v", post.ID, comment.ID),
		fmt.Sprintf("DELETE username FROM %%s.comments_by_author WHERE author_id = %v AND bucket = 0", user.ID),
		fmt.Sprintf("DELETE username FROM %%s.likes_by_post WHERE post_id = %v AND bucket = 0 AND liked_at = %d AND user_id = %v", post.ID, like.At.UnixMilli(), user.ID),
	)

	var seen []blog.Author
	p, err := store.PostByID(ctx, post.ID)
	must(t, err)
	posts, err := store.PostsByAuthor(ctx, user.ID, blog.FirstPage[blog.PostID](5))
	must(t, err)
	feed, err := store.Feed(ctx, blog.FirstPage[blog.PostID](1))
	must(t, err)
	c, err := store.CommentByKey(ctx, comment.Key())
	must(t, err)
	comments, err := store.CommentsByPost(ctx, blog.CommentsQuery{Post: post.ID, Page: blog.FirstPage[blog.CommentID](5)})
	must(t, err)
	mine, err := store.CommentsByAuthor(ctx, user.ID, blog.FirstPage[blog.CommentID](5))
	must(t, err)
	likes, err := store.LikesByPost(ctx, post.ID, blog.FirstPage[blog.ReactionPosition](5))
	must(t, err)
	seen = append(seen, p.Author, posts.Items[0].Author, feed.Items[0].Author, c.Author, comments.Items[0].Author, mine.Items[0].Author, likes.Items[0].User)
	for i, author := range seen {
		if !reflect.DeepEqual(author, user.Name().Author()) {
			t.Errorf("query %d shows %+v", i, author)
		}
	}
}

// Of the rows under a name the one of its owner answers: not one that lacks cells,
// nor a former owner's that a late write brought back.
func testFormerOwners(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	user, former, ghost := testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store)
	must(t, store.Settle(t.Context()))
	testkeyspace.Execute(t, config,
		fmt.Sprintf("UPDATE %%s.users_by_username USING TIMESTAMP 1 SET username = '%s' WHERE username_key = '%s' AND user_id = %v", user.Username, user.Username, former.ID),
		fmt.Sprintf("UPDATE %%s.users_by_username %s SET bio = 'x' WHERE username_key = '%s' AND user_id = %v", late, user.Username, ghost.ID),
		fmt.Sprintf("UPDATE %%s.users_by_username %s SET username = 'elsewhere' WHERE username_key = '%s' AND user_id = %v", late, user.Username, ghost.ID),
	)
	found, err := store.UserByUsername(t.Context(), strings.ToUpper(user.Username))
	must(t, err)
	if found.ID != user.ID {
		t.Errorf("found %v, want %v", found.ID, user.ID)
	}
	for _, name := range []string{"", strings.Repeat("x", 100_000)} {
		if _, err := store.UserByUsername(t.Context(), name); !blog.IsNotFound(err) {
			t.Errorf("a name of %d bytes: %v", len(name), err)
		}
		if _, err := store.UserByEmail(t.Context(), name); !blog.IsNotFound(err) {
			t.Errorf("an address of %d bytes: %v", len(name), err)
		}
		if _, err := store.UserBySubject(t.Context(), name); !blog.IsNotFound(err) {
			t.Errorf("a subject of %d bytes: %v", len(name), err)
		}
	}
}

// Each kind of damage shows in the report of its table, and nothing else does.
func testVerify(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	ctx := t.Context()
	user := testkeyspace.NewUser(t, store)
	post, deleted := testkeyspace.NewPost(t, store, user), testkeyspace.NewPost(t, store, user)
	comment, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
	must(t, err)
	for _, p := range []blog.Post{post, deleted} {
		_, _, err := store.LikePost(ctx, blog.LikePost{Actor: user.ID, Post: p.ID})
		must(t, err)
	}
	_, _, err = store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: deleted.ID, Content: "c"})
	must(t, err)
	must(t, store.DeletePost(ctx, blog.DeletePost{Actor: user.ID, Post: deleted.ID}))
	must(t, store.Settle(ctx))
	if found := testkeyspace.Drifted(t, store); len(found) > 0 {
		t.Fatalf("before any damage: %v", found)
	}

	for _, c := range []struct {
		table blog.Table
		cql   string
	}{
		{blog.UsersByUsername, fmt.Sprintf("SET bio = 'x' WHERE username_key = '%s' AND user_id = %v", user.Username, user.ID)},
		{blog.UsersByEmail, fmt.Sprintf("SET version = 9 WHERE email_key = '%s' AND user_id = %v", *user.Email, user.ID)},
		{blog.UsersBySubject, fmt.Sprintf("SET username = 'x' WHERE subject_key = 'x' AND user_id = %v", user.ID)},
		{blog.PostsByID, fmt.Sprintf("SET comment_count = 9 WHERE post_id = %v", post.ID)},
		{blog.PostsByAuthor, fmt.Sprintf("SET username = 'x' WHERE author_id = %v AND bucket = 0", user.ID)},
		{blog.FeedByBucket, fmt.Sprintf("SET like_count = 1 WHERE bucket = '%s' AND shard = %d AND post_id = %v", deleted.Feed.Bucket, deleted.Feed.Shard, comment.ID)},
		{blog.CommentsByPost, fmt.Sprintf("SET username = 'x' WHERE post_id = %v AND bucket = 0 AND comment_id = %v", post.ID, comment.ID)},
		{blog.CommentsByAuthor, fmt.Sprintf("SET content = 'x' WHERE author_id = %v AND bucket = 0 AND comment_id = %v", user.ID, comment.ID)},
		{blog.LikesByPost, fmt.Sprintf("SET like_count = 9 WHERE post_id = %v AND bucket = 0", post.ID)},
		{blog.LikesByUser, fmt.Sprintf("SET liked_at = '2020-01-01' WHERE user_id = %v AND bucket = 0 AND post_id = %v", user.ID, post.ID)},
		{blog.LikeClaims, fmt.Sprintf("SET like_count = 2 WHERE post_id = %v AND bucket = 0", post.ID)},
	} {
		testkeyspace.Execute(t, config, fmt.Sprintf("UPDATE %%s.%s %s %s", c.table, late, c.cql))
		found := testkeyspace.Drifted(t, store)
		if !slices.Contains(found, c.table) {
			t.Errorf("damage in %s does not show: %s", c.table, c.cql)
		}
	}
	if found := testkeyspace.Drifted(t, store); len(found) != 11 {
		t.Errorf("drift in %v, want it in the 11 tables that were damaged", found)
	}

	// All is mended but a truth's own cell that no conditional write can pass.
	repaired, err := audit.Verifying{Repair: true}.Run(ctx, store)
	must(t, err)
	for _, report := range repaired.Tables {
		if report.Left() > 0 && (report.Table != blog.LikeClaims || !strings.Contains(report.Examples[0].Left, "write time in the future")) {
			t.Errorf("left in %s: %+v", report.Table, report.Examples)
		}
	}
	if repaired.Left() != 1 {
		t.Errorf("%d left after the repair, want the one count", repaired.Left())
	}
}

// Cells that a late update left without their row are no posts, and do not shorten
// a page.
func testFeedGhosts(t *testing.T, config cassandra.Config) {
	clock := storetest.NewClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	testkeyspace.Execute(t, config, "TRUNCATE %s.feed_by_bucket", "TRUNCATE %s.feed_buckets")
	config.FeedBucketWidth, config.FeedShards = 24*time.Hour, 1
	store := testkeyspace.Open(t, config, blog.Options{Clock: clock})
	author := testkeyspace.NewUser(t, store)
	var standing []blog.PostID
	for i := range 40 {
		clock.Advance(time.Second)
		p := testkeyspace.NewPost(t, store, author)
		if i%8 == 0 {
			standing = append(standing, p.ID)
			continue
		}
		must(t, store.DeletePost(t.Context(), blog.DeletePost{Actor: author.ID, Post: p.ID}))
		late := "UPDATE %s.feed_by_bucket USING TIMESTAMP 9000000000000000 SET comment_count = 3 WHERE bucket = '2026-01-01T00:00Z+24h0m0s' AND shard = 0 AND post_id = "
		testkeyspace.Execute(t, config, late+p.ID.String())
	}
	slices.Reverse(standing)
	for _, backward := range []bool{false, true} {
		page, err := store.Feed(t.Context(), blog.PageRequest[blog.PostID]{Limit: 4, Backward: backward})
		must(t, err)
		want := standing[:4]
		if backward {
			want = standing[1:]
		}
		for i, p := range page.Items {
			if p.ID != want[i] {
				t.Errorf("row %d is %v, want %v", i, p.ID, want[i])
			}
		}
		if len(page.Items) != 4 || page.HasNext == backward || page.HasPrevious != backward {
			t.Errorf("%d rows, next %v, previous %v", len(page.Items), page.HasNext, page.HasPrevious)
		}
	}
}
