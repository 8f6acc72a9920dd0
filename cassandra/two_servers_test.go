package cassandra_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/testkeyspace"
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

// Two servers that rename one account at once, to different names, make one of the renames: the
// truth decides which. The other name stays free, though it was claimed.
func TestTwoServersRenameWithinAnInterval(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	servers := []*cassandra.Store{testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})}
	for range rounds {
		user := testkeyspace.NewUser(t, servers[0])
		names, answers := [2]string{user.Username[:20] + "_a", user.Username[:20] + "_b"}, [2]error{}
		atOnce(t, 2, func(i int) error {
			_, answers[i] = servers[i].UpdateUser(t.Context(), blog.UpdateUser{Actor: user.ID, Username: blog.SetTo(names[i]), RenameInterval: time.Hour})
			return nil
		})
		won := 0
		if answers[0] != nil {
			won = 1
		}
		if answers[won] != nil || blog.KindOf(answers[1-won]) != blog.Forbidden {
			t.Fatalf("the renames are answered with %v, want one to be made and one refused", answers)
		}
		for _, server := range servers {
			must(t, server.Settle(t.Context()))
		}
		now, err := servers[0].UserByID(t.Context(), user.ID)
		must(t, err)
		if now.Username != names[won] {
			t.Errorf("the account is called %s, want %s", now.Username, names[won])
		}
		_, err = servers[won].CreateUser(t.Context(), blog.CreateUser{Subject: names[1-won], Username: names[1-won]})
		must(t, err)
	}
}

// A rename that recovery finished counts for the next one, whichever server that is made on.
func TestRenameIntervalAfterRecovery(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, store)
	edit := blog.UpdateUser{Actor: user.ID, Username: blog.SetTo(user.Username[:20] + "_new"), RenameInterval: time.Hour}
	must(t, leftByDeathAt(t, config, nil, updating(t, edit)))
	outlive(t, config)
	must(t, recovered(t.Context(), healer(t, config)))
	edit.Username = blog.SetTo(user.Username[:20] + "_newer")
	if _, err := store.UpdateUser(t.Context(), edit); err == nil || blog.KindOf(err) != blog.Forbidden {
		t.Errorf("another rename: %v, want it refused", err)
	}
	for name, query := range map[string]func() (blog.User, error){
		"id":      func() (blog.User, error) { return store.UserByID(t.Context(), user.ID) },
		"subject": func() (blog.User, error) { return store.UserBySubject(t.Context(), user.Subject) },
		"name":    func() (blog.User, error) { return store.UserByUsername(t.Context(), user.Username[:20]+"_new") },
	} {
		if found, err := query(); err != nil || found.RenamedAt.IsZero() {
			t.Errorf("the user by its %s: %v, renamed at %v", name, err, found.RenamedAt)
		}
	}
}

// A server that knows a post, for it changed it before, learns of its deletion on another
// server as soon as that is answered.
func TestAPostThatAnotherServerDeleted(t *testing.T) {
	t.Parallel()
	here, there := open(t, blog.Options{}), open(t, blog.Options{})
	user := testkeyspace.NewUser(t, here)
	for _, lived := range []bool{true, false} {
		post := testkeyspace.NewPost(t, here, user)
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

// A server that has not met a user's like goes by none. What another did with it decides all the same: a like keeps its
// first time and counts once.
func TestALikeThatAnotherServerMade(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	here, there := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	author, user := testkeyspace.NewUser(t, here), testkeyspace.NewUser(t, here)
	like := func(server *cassandra.Store, by blog.User, p blog.Post) (blog.Reaction, blog.Count, error) {
		return server.LikePost(t.Context(), blog.LikePost{Actor: by.ID, Post: p.ID})
	}
	for name, meanwhile := range map[string]func(blog.Post) error{
		"it stands": func(blog.Post) error { return nil },
		"it was taken back": func(p blog.Post) error {
			_, err := there.UnlikePost(t.Context(), blog.UnlikePost{Actor: user.ID, Post: p.ID})
			return err
		},
	} {
		p := testkeyspace.NewPost(t, here, author)
		_, _, err := like(here, author, p)
		must(t, err)
		first, _, err := like(there, user, p)
		must(t, err)
		must(t, meanwhile(p))
		again, count, err := like(here, user, p)
		if err != nil || !reflect.DeepEqual(again, first) || count.N != 2 {
			t.Errorf("%s: it is given again with %v, %d likes, %v, want %v and 2", name, again, count.N, err, first)
		}
	}
	for _, server := range []blog.Store{here, there} {
		must(t, server.Settle(t.Context()))
	}
	if tables := testkeyspace.Drifted(t, here); len(tables) > 0 {
		t.Errorf("drift in %v", tables)
	}
}

// A like that another server made is none once its post is deleted, though its claim is still there.
func TestALikeOfADeletedPostThatAnotherServerMade(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	here, there := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	author, user := testkeyspace.NewUser(t, here), testkeyspace.NewUser(t, here)
	p := testkeyspace.NewPost(t, here, author)
	_, _, err := here.LikePost(t.Context(), blog.LikePost{Actor: author.ID, Post: p.ID}) // it keeps the header
	must(t, err)
	_, _, err = there.LikePost(t.Context(), blog.LikePost{Actor: user.ID, Post: p.ID})
	must(t, err)
	there.FillJobs()
	must(t, there.DeletePost(t.Context(), blog.DeletePost{Actor: author.ID, Post: p.ID}))
	if _, _, err := here.LikePost(t.Context(), blog.LikePost{Actor: user.ID, Post: p.ID}); !blog.IsNotFound(err) {
		t.Errorf("a like of a deleted post: %v, want NotFound", err)
	}
}

// An account that was promoted on one server moderates on another, from the next command on; one that
// was demoted does not, though the other has just seen it moderate.
func TestTwoServersKnowModeratorsAtOnce(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	config.AccountAge = shortAge
	operator, server := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	author, moderator := testkeyspace.NewUser(t, server), testkeyspace.NewUser(t, server)
	for range rounds {
		first, second := testkeyspace.NewPost(t, server, author), testkeyspace.NewPost(t, server, author)
		_, err := operator.SetModerator(t.Context(), blog.SetModerator{User: moderator.ID, Moderator: true})
		must(t, err)
		must(t, server.DeletePost(t.Context(), blog.DeletePost{Actor: moderator.ID, Post: first.ID}))
		_, err = operator.SetModerator(t.Context(), blog.SetModerator{User: moderator.ID})
		must(t, err)
		if err := server.DeletePost(t.Context(), blog.DeletePost{Actor: moderator.ID, Post: second.ID}); blog.KindOf(err) != blog.Forbidden {
			t.Errorf("a post is deleted by an account that was demoted: %v, want it refused", err)
		}
	}
}
