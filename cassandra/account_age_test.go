package cassandra_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// shortAge is an age of accounts for tests that wait for it.
const shortAge = 20 * time.Millisecond

// startedBefore opens a server that knows an account from before whatever the other one does with it.
func startedBefore(t *testing.T, options blog.Options) (other, server *cassandra.Store, user blog.User, p blog.Post) {
	t.Helper()
	config := testkeyspace.New(t)
	other = testkeyspace.Open(t, config, blog.Options{})
	user, p = testkeyspace.NewUser(t, other), testkeyspace.NewPost(t, other, testkeyspace.NewUser(t, other))
	config.AccountAge = time.Hour
	server = testkeyspace.Open(t, config, options)
	comments(t, server, user, p)
	_, _, err := server.LikePost(t.Context(), blog.LikePost{Actor: p.Author.ID, Post: p.ID})
	must(t, err)
	testkeyspace.NewPost(t, server, user)
	must(t, server.Settle(t.Context()))
	return other, server, user, p
}

func comments(t *testing.T, server *cassandra.Store, user blog.User, p blog.Post) blog.Comment {
	t.Helper()
	c, _, err := server.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: p.ID, Content: "A comment."})
	must(t, err)
	return c
}

// A command whose actor was active a moment ago reads the account once, after its reply.
func TestStatementsOfAnActorThatIsKnown(t *testing.T) {
	t.Parallel()
	var made recorder
	_, server, user, p := startedBefore(t, blog.Options{Observer: &made})
	for _, of := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"a comment", func() error { comments(t, server, user, p); return nil }, []string{
			"conditional comments_by_post", "read users_by_id", "write changes_by_log", "write journal", "write journal", "write posts_by_id",
		}},
		{"a like", func() error {
			_, _, err := server.LikePost(t.Context(), blog.LikePost{Actor: user.ID, Post: p.ID})
			return err
		}, []string{
			"conditional like_claims", "read users_by_id", "write changes_by_log", "write journal", "write journal", "write likes_by_post",
		}},
		{"a post", func() error { testkeyspace.NewPost(t, server, user); return nil }, []string{
			"conditional posts_by_id", "read follow_claims", "read users_by_id", "write changes_by_log", "write journal", "write journal", "write posts_by_author",
		}},
	} {
		t.Run(of.name, func(t *testing.T) {
			made.take()
			must(t, of.do())
			must(t, server.Settle(t.Context()))
			var got []string
			for _, s := range made.take() {
				got = append(got, string(s.Kind)+" "+string(s.Table))
			}
			if slices.Sort(got); !slices.Equal(got, of.want) {
				t.Errorf("got\n%q, want\n%q", got, of.want)
			}
		})
	}
}

// What an account writes that was renamed or erased since it was read has the new name, or goes: the account is read
// again behind the rows, after the reply.
func TestActorThatIsKnownFromBefore(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(t *testing.T, other *cassandra.Store, user blog.User){
		"a rename": func(t *testing.T, other *cassandra.Store, user blog.User) {
			rename(t, other, user.ID, user.Username[:20]+"_renamed")
		},
		"an erasure": func(t *testing.T, other *cassandra.Store, user blog.User) {
			must(t, other.DeleteAccount(t.Context(), blog.DeleteAccount{Actor: user.ID, User: user.ID, Role: blog.Operator}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			other, server, user, p := startedBefore(t, blog.Options{})
			edit(t, other, user)
			must(t, other.Settle(t.Context()))
			comments(t, server, user, p)
			testkeyspace.NewPost(t, server, user)
			must(t, storetest.ReactEach(t.Context(), server, user.ID, p.ID))
			must(t, server.Settle(t.Context()))
			if tables := testkeyspace.Drifted(t, other); len(tables) > 0 {
				t.Errorf("behind %s: drift in %v", name, tables)
			}
		})
	}
}

// Once an edit of an account has returned, every other server's commands go by it, though the account writes there all
// the time.
func TestActorsAreKnownOnEveryServer(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	config.AccountAge = shortAge
	other, server := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	user, p := testkeyspace.NewUser(t, other), testkeyspace.NewPost(t, other, testkeyspace.NewUser(t, other))
	var writing sync.WaitGroup
	defer writing.Wait()
	over, end := context.WithCancel(t.Context())
	defer end()
	writing.Go(func() {
		for over.Err() == nil {
			_, _, _ = server.CreateComment(over, blog.CreateComment{Author: user.ID, Post: p.ID, Content: "A comment."})
		}
	})
	edits := []struct {
		name string
		edit func() error
		want error // of a comment then
	}{
		{"suspended", func() error {
			_, err := other.SuspendUser(t.Context(), blog.SuspendUser{Role: blog.Operator, User: user.ID})
			return err
		}, blog.ErrSuspended()},
		{"restored", func() error {
			_, err := other.RestoreUser(t.Context(), blog.RestoreUser{Role: blog.Operator, User: user.ID})
			return err
		}, nil},
		{"erased", func() error {
			return other.DeleteAccount(t.Context(), blog.DeleteAccount{Role: blog.Operator, User: user.ID})
		}, blog.ErrNoAccount()},
	}
	for _, of := range slices.Concat(edits[:2], edits) {
		must(t, of.edit())
		_, _, err := server.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: p.ID, Content: "After."})
		if (err == nil) != (of.want == nil) || blog.KindOf(err) != blog.KindOf(of.want) {
			t.Errorf("a comment of an account that is %s: %v, want %v", of.name, err, of.want)
		}
	}
}
