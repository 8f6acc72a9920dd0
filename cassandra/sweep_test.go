package cassandra_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/testkeyspace"
)

// rounds is how often a race is run.
const rounds = 8

func stopwatch(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// remains returns what rows, in whichever table, are left of a deleted post, and are not dead.
func remains(t *testing.T, config cassandra.Config, post blog.PostID) (rows []string) {
	t.Helper()
	for _, d := range blog.Declarations {
		if d.About == nil || d.About != blog.AboutPost && d.About.Parent != blog.AboutPost || len(d.Clustering) == 0 {
			continue
		}
		columns := "post_id, " + d.Clustering[len(d.Clustering)-1].Name + " AS key" // of the rows: static cells do not have it
		for _, g := range d.Rows {
			if g.LeavesDead {
				columns += ", " + g.Mandatory() + " AS text"
			}
		}
		for _, row := range testkeyspace.Rows(t, config, fmt.Sprintf("SELECT %s FROM %%s.%s", columns, d.Table)) {
			key := fmt.Sprint(row["key"])
			if fmt.Sprint(row["post_id"]) == post.String() && key != (blog.UUID{}).String() && row["text"] != "" {
				rows = append(rows, fmt.Sprintf("%s: %s", d.Table, key))
			}
		}
	}
	return rows
}

// A deletion whose server dies is gone on with by another one, to the same end.
func testSweepSurvivesItsServer(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	ctx := t.Context()
	readers := make([]blog.User, 17)
	for i := range readers {
		readers[i] = testkeyspace.NewUser(t, store)
	}
	for _, nth := range []int{1, 3, 5, 7} {
		post := testkeyspace.NewPost(t, store, readers[0])
		atOnce(t, 22, func(i int) error {
			_, _, err := store.CreateComment(ctx, blog.CreateComment{Author: readers[i%len(readers)].ID, Post: post.ID, Content: "c"})
			return err
		})
		atOnce(t, len(readers), func(i int) error {
			_, _, err := store.LikePost(ctx, blog.LikePost{Actor: readers[i].ID, Post: post.ID})
			if err == nil && i%4 == 0 {
				_, err = store.UnlikePost(ctx, blog.UnlikePost{Actor: readers[i].ID, Post: post.ID})
			}
			return err
		})
		must(t, store.Settle(ctx))

		first := dying(t, config, nth, 5)
		must(t, first.DeletePost(ctx, blog.DeletePost{Actor: readers[0].ID, Post: post.ID}))
		must(t, first.Settle(ctx))
		if len(remains(t, config, post.ID)) == 0 {
			t.Fatalf("a server that died at checkpoint %d had removed every row", nth)
		}
		outlive(t, config)
		second := healer(t, config)
		must(t, recovered(ctx, second))
		for _, row := range remains(t, config, post.ID) {
			t.Errorf("after recovery from checkpoint %d: %s", nth, row)
		}
		if found := testkeyspace.Drifted(t, store); len(found) > 0 {
			t.Errorf("after recovery from checkpoint %d there is drift in %v", nth, found)
		}
		if left := testkeyspace.JobsLeft(t, config); len(left) > 0 {
			t.Errorf("checkpoints of %v are left", left)
		}
	}
}

// Whatever two servers write below a post while one of them deletes it, nothing is left.
func testDeletingBesideWriters(t *testing.T, config cassandra.Config) {
	servers := []*cassandra.Store{testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})}
	ctx := t.Context()
	users := []blog.User{testkeyspace.NewUser(t, servers[0]), testkeyspace.NewUser(t, servers[0]), testkeyspace.NewUser(t, servers[0])}
	for range rounds {
		post := testkeyspace.NewPost(t, servers[0], users[0])
		var running sync.WaitGroup
		for _, server := range servers {
			server.ReadJobsBy(2)
			for _, user := range users {
				running.Go(func() { writeUntilGone(t, server, user.ID, post.ID) })
			}
		}
		running.Go(func() {
			if err := servers[1].DeletePost(ctx, blog.DeletePost{Actor: users[0].ID, Post: post.ID}); err != nil {
				t.Error(err)
			}
		})
		running.Wait()
		for _, server := range servers {
			must(t, server.Settle(ctx))
		}
		for _, row := range remains(t, config, post.ID) {
			t.Errorf("after the deletion: %s", row)
		}
	}
	if found := testkeyspace.Drifted(t, servers[0]); len(found) > 0 {
		t.Errorf("there is drift in %v", found)
	}
}

// writeUntilGone comments on a post, edits, deletes, likes and unlikes until it is gone.
func writeUntilGone(t *testing.T, store *cassandra.Store, user blog.UserID, post blog.PostID) {
	ctx := t.Context()
	for i := 0; ; i++ {
		c, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user, Post: post, Content: "c"})
		if err == nil {
			_, _, err = store.LikePost(ctx, blog.LikePost{Actor: user, Post: post})
		}
		if err == nil && i%3 == 0 {
			_, err = store.UpdateComment(ctx, blog.UpdateComment{Actor: user, Key: c.Key(), Content: "edited"})
		}
		if err == nil && i%2 == 0 {
			_, err = store.DeleteComment(ctx, blog.DeleteComment{Actor: user, Key: c.Key()})
		}
		if err == nil && i%2 == 0 {
			_, err = store.UnlikePost(ctx, blog.UnlikePost{Actor: user, Post: post})
		}
		if err != nil {
			if !blog.IsNotFound(err) {
				t.Error(err)
			}
			return
		}
	}
}

// Copies that come late, of whatever stood below a post, revive nothing of it.
func testLateCopiesOfADeletedPost(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	ctx := t.Context()
	author, reader := testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store)
	post := testkeyspace.NewPost(t, store, author)
	comment, comments, err := store.CreateComment(ctx, blog.CreateComment{Author: reader.ID, Post: post.ID, Content: "c"})
	must(t, err)
	like, likes, err := store.LikePost(ctx, blog.LikePost{Actor: reader.ID, Post: post.ID})
	must(t, err)
	former, _, err := store.LikePost(ctx, blog.LikePost{Actor: author.ID, Post: post.ID})
	must(t, err)
	_, err = store.UnlikePost(ctx, blog.UnlikePost{Actor: author.ID, Post: post.ID})
	must(t, err)
	must(t, store.Settle(ctx))

	// By servers whose clocks are hours ahead, even. Who took a like back has died before
	// it was off its user's list.
	ahead := blog.NextStamp(blog.SystemClock{}, 0) + (12 * time.Hour).Microseconds()
	must(t, store.WriteCopies(ctx, blog.CopiesOfReaction(blog.Likes, former, ahead)[:2]))
	must(t, store.DeletePost(ctx, blog.DeletePost{Actor: author.ID, Post: post.ID}))
	must(t, store.Settle(ctx))
	post.Stamp, comments.Stamp, likes.Stamp = ahead, ahead, ahead
	name := blog.Name{User: reader.ID, Username: reader.Username, Stamp: ahead}
	must(t, store.WriteCopies(ctx, slices.Concat(
		blog.CopiesOfPost(post), blog.NameOfPost(post.Ref(), author.Name()),
		blog.CopiesOfComment(comment, ahead), blog.CopiesOfCount(blog.CommentsByPost, post.Ref(), comments), blog.NameOfComment(comment, name)[:1],
		blog.CopiesOfReaction(blog.Likes, like, ahead), blog.CopiesOfCount(blog.LikeClaims, post.Ref(), likes), blog.NameOfReaction(blog.Likes, post.ID.UUID, like.At, name),
	)))
	for _, row := range remains(t, config, post.ID) {
		t.Errorf("revived: %s", row)
	}
	if found := testkeyspace.Drifted(t, store); len(found) > 0 {
		t.Errorf("there is drift in %v", found)
	}
	_, err = store.PostByID(ctx, post.ID)
	_, commentsErr := store.CommentsByPost(ctx, blog.CommentsQuery{Post: post.ID, Page: blog.FirstPage[blog.CommentID](5)})
	_, likesErr := store.LikesByPost(ctx, post.ID, blog.FirstPage[blog.ReactionPosition](5))
	_, _, commentErr := store.CreateComment(ctx, blog.CreateComment{Author: reader.ID, Post: post.ID, Content: "c"})
	_, _, likeErr := store.LikePost(ctx, blog.LikePost{Actor: reader.ID, Post: post.ID})
	for i, err := range []error{err, commentsErr, likesErr, commentErr, likeErr} {
		if !blog.IsNotFound(err) {
			t.Errorf("answer %d about a deleted post: %v", i, err)
		}
	}
}

// Whoever deletes a comment may die before its author's list knows. The deletion of the
// post does not find that comment any more; recovery does.
func testRecoveryBelowADeletedPost(t *testing.T, config cassandra.Config) {
	testkeyspace.Execute(t, config, "TRUNCATE %s.journal") // of what is done
	store := testkeyspace.Open(t, config, blog.Options{})
	ctx := t.Context()
	user := testkeyspace.NewUser(t, store)
	post := testkeyspace.NewPost(t, store, user)
	comment, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
	must(t, err)
	_, err = store.DeleteComment(ctx, blog.DeleteComment{Actor: user.ID, Key: comment.Key()})
	must(t, err)
	must(t, store.DeletePost(ctx, blog.DeletePost{Actor: user.ID, Post: post.ID}))
	must(t, store.Settle(ctx))
	undo(t, config)
	// Above the deletions that were made, below those of a server a minute ahead.
	between := blog.DeletionStamp(blog.SystemClock{}) + (30 * time.Second).Microseconds()
	must(t, store.WriteCopies(ctx, blog.CopiesOfComment(comment, between)))
	if len(remains(t, config, post.ID)) == 0 {
		t.Fatal("the row does not stand again")
	}
	must(t, recovered(ctx, healer(t, config)))
	for _, row := range remains(t, config, post.ID) {
		t.Errorf("after recovery: %s", row)
	}
}
