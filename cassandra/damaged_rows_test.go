package cassandra_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/testkeyspace"
)

// What refuses a command is a row that no command will ever change, for somebody has
// damaged it by hand. The command ends at once, after few statements, and says which row.
func TestDamagedRowsEndCommands(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	made := &recorder{}
	store := testkeyspace.Open(t, config, blog.Options{Observer: made})
	for name, tc := range map[string]struct {
		damage  string // of a post, a comment on it, and their author
		command func(ctx context.Context, of damaged) error
	}{
		"edit of a comment": {"UPDATE %%s.comments_by_post SET edits = null WHERE post_id = %[1]v AND bucket = 0 AND comment_id = %[2]v",
			func(ctx context.Context, of damaged) error {
				_, err := store.UpdateComment(ctx, blog.UpdateComment{Actor: of.user, Key: of.comment, Content: "new"})
				return err
			}},
		"deletion of a comment": {"UPDATE %%s.comments_by_post SET edits = null WHERE post_id = %[1]v AND bucket = 0 AND comment_id = %[2]v",
			func(ctx context.Context, of damaged) error {
				_, err := store.DeleteComment(ctx, blog.DeleteComment{Actor: of.user, Key: of.comment})
				return err
			}},
		"comment below a damaged head": {"UPDATE %%s.comments_by_post SET comment_count = null WHERE post_id = %[1]v AND bucket = 0",
			func(ctx context.Context, of damaged) error {
				_, err := store.UpdateComment(ctx, blog.UpdateComment{Actor: of.user, Key: of.comment, Content: "new"})
				return err
			}},
		"like": {"UPDATE %%s.like_claims SET liked_at = null WHERE post_id = %[1]v AND bucket = 0 AND user_id = %[3]v",
			func(ctx context.Context, of damaged) error {
				_, _, err := store.LikePost(ctx, blog.LikePost{Actor: of.user, Post: of.comment.Post})
				return err
			}},
		"edit of a post": {"UPDATE %%s.posts_by_id SET stamp = null WHERE post_id = %[1]v",
			func(ctx context.Context, of damaged) error {
				_, err := store.UpdatePost(ctx, blog.UpdatePost{Actor: of.user, Post: of.comment.Post, Title: blog.SetTo("New")})
				return err
			}},
		"deletion of a post": {"UPDATE %%s.posts_by_id SET stamp = null WHERE post_id = %[1]v",
			func(ctx context.Context, of damaged) error {
				return store.DeletePost(ctx, blog.DeletePost{Actor: of.user, Post: of.comment.Post})
			}},
		"edit of a user": {"UPDATE %%s.users_by_id SET stamp = null WHERE user_id = %[3]v",
			func(ctx context.Context, of damaged) error {
				_, err := store.UpdateUser(ctx, blog.UpdateUser{Actor: of.user, Bio: blog.SetTo("New.")})
				return err
			}},
	} {
		t.Run(name, func(t *testing.T) {
			of := damaged{user: testkeyspace.NewUser(t, store).ID}
			of.comment = commentAndUnlike(t, store, of.user)
			testkeyspace.Execute(t, config, fmt.Sprintf(tc.damage, of.comment.Post, of.comment.Comment, of.user))
			made.mu.Lock()
			made.made = nil
			made.mu.Unlock()
			err := tc.command(t.Context(), of)
			must(t, store.Settle(t.Context()))
			made.mu.Lock()
			defer made.mu.Unlock()
			if n := len(made.made); n > 20 {
				t.Errorf("%d statements were made", n)
			}
			named := false
			for _, key := range []fmt.Stringer{of.user, of.comment.Post, of.comment.Comment} {
				named = named || err != nil && strings.Contains(err.Error(), key.String())
			}
			if blog.KindOf(err) != blog.Internal || !named {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// damaged is what the damage is done to.
type damaged struct {
	user    blog.UserID
	comment blog.CommentKey
}

// commentAndUnlike makes a post with a comment, and a like that is taken back.
func commentAndUnlike(t *testing.T, store *cassandra.Store, user blog.UserID) blog.CommentKey {
	t.Helper()
	ctx := t.Context()
	post, err := store.CreatePost(ctx, blog.CreatePost{Author: user, Title: "Post", Content: "Text."})
	must(t, err)
	comment, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user, Post: post.ID, Content: "text"})
	must(t, err)
	_, _, err = store.LikePost(ctx, blog.LikePost{Actor: user, Post: post.ID})
	must(t, err)
	_, err = store.UnlikePost(ctx, blog.UnlikePost{Actor: user, Post: post.ID})
	must(t, err)
	must(t, store.Settle(ctx))
	return comment.Key()
}

// A post whose comments can't be closed, for somebody has damaged their head, is deleted
// all the same; what its deletion owes is left to recovery, which says so, after few
// statements.
func TestDamagedHeadEndsItsClosing(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	made := &recorder{}
	store := testkeyspace.Open(t, config, blog.Options{Observer: made})
	user := testkeyspace.NewUser(t, store).ID
	comment := commentAndUnlike(t, store, user)
	testkeyspace.Execute(t, config, fmt.Sprintf("UPDATE %%s.comments_by_post SET closed = false WHERE post_id = %v AND bucket = 0", comment.Post))
	made.mu.Lock()
	made.made = nil
	made.mu.Unlock()
	must(t, store.DeletePost(t.Context(), blog.DeletePost{Actor: user, Post: comment.Post}))
	must(t, store.Settle(t.Context()))
	made.mu.Lock()
	if n := len(made.made); n > 30 {
		t.Errorf("%d statements were made", n)
	}
	made.mu.Unlock()
	if open := testkeyspace.Undone(t, config); open != 1 {
		t.Errorf("%d entries are undone, want the deletion's", open)
	}
	healer := longAgo(t, config, time.Minute)
	healer.Recover(t.Context()) // it fails at this entry, and ends
	if open := testkeyspace.Undone(t, config); open != 1 {
		t.Errorf("%d entries are undone, want the deletion's", open)
	}
}
