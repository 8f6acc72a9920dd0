package cassandra_test

import (
	"context"
	"fmt"
	"testing"

	"broadsheet/blog"
)

// Two servers that rename the same user to the same name at once, as a double click
// does: one finds nothing left to change, and must not give back the claim that the
// other one's name stands on.
func TestTwoServersRenameToTheSameName(t *testing.T) {
	t.Parallel()
	servers := []blog.Store{open(t, blog.Options{}), open(t, blog.Options{})}
	for i := range 10 {
		subject, name := fmt.Sprintf("double-%d", i), fmt.Sprintf("doubled_%d", i)
		user, err := servers[0].CreateUser(t.Context(), blog.CreateUser{Subject: subject, Username: fmt.Sprintf("double_%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		answers := make(chan error)
		for _, server := range servers {
			go func() {
				_, err := server.UpdateUser(context.Background(), blog.UpdateUser{Actor: user.ID, Username: blog.SetTo(name)})
				answers <- err
			}()
		}
		for range servers {
			if err := <-answers; err != nil {
				t.Errorf("a rename: %v", err)
			}
		}
		for _, server := range servers {
			if err := server.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		_, err = servers[0].CreateUser(t.Context(), blog.CreateUser{Subject: subject + "-other", Username: name})
		if err == nil || blog.KindOf(err) != blog.Taken {
			t.Errorf("a second user with the name of the first: %v, want it taken", err)
		}
		if _, err := servers[1].CreateUser(t.Context(), blog.CreateUser{Subject: subject + "-old", Username: user.Username}); err != nil {
			t.Errorf("the old name: %v, want it free", err)
		}
	}
}

// A server that knows a post, for it changed it before, learns of its deletion on another
// server as soon as that is answered.
func TestAPostThatAnotherServerDeleted(t *testing.T) {
	t.Parallel()
	here, there := open(t, blog.Options{}), open(t, blog.Options{})
	user := newUser(t, here)
	for _, lived := range []bool{true, false} {
		post := newPost(t, here, user)
		var comment blog.Comment
		if lived {
			var err error
			comment, _, err = here.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
			must(t, err)
		}
		_, _, err := here.LikePost(t.Context(), blog.LikePost{Actor: user.ID, Post: post.ID})
		must(t, err)
		must(t, there.DeletePost(t.Context(), blog.DeletePost{Actor: user.ID, Post: post.ID}))
		_, _, commenting := here.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
		_, _, liking := here.LikePost(t.Context(), blog.LikePost{Actor: user.ID, Post: post.ID})
		_, unliking := here.UnlikePost(t.Context(), blog.UnlikePost{Actor: user.ID, Post: post.ID})
		_, editing := here.UpdateComment(t.Context(), blog.UpdateComment{Actor: user.ID, Key: blog.CommentKey{Post: post.ID, Comment: comment.ID}, Content: "e"})
		for i, err := range []error{commenting, liking, unliking, editing} {
			if !blog.IsNotFound(err) {
				t.Errorf("command %d on the deleted post, which had comments: %v: %v, want NotFound", i, lived, err)
			}
		}
		for _, server := range []blog.Store{here, there} {
			must(t, server.Settle(t.Context()))
		}
	}
}
