package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/client"
	"broadsheet/internal/relay"
	"broadsheet/internal/testkeyspace"
	"broadsheet/resolvers"
)

// server is the API of one server of a store that several use.
func server(store blog.Store) api {
	return attached(graph.NewPlannedSchema, store, io.Discard, client.NewAnswers(0, 0), newHub(store), resolvers.Config{AccountAge: blog.AccountAge})
}

// An account that was read answers for AccountAge from before the read, however long that took. That there is
// no account is read each time.
func TestAccountsAnswerForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, reads := newStub(t), 0
		s.userBySubject = func(subject string) (blog.User, error) {
			reads++
			account, err := s.Store.UserBySubject(context.Background(), subject)
			time.Sleep(blog.AccountAge / 2)
			return account, err
		}
		b, began := server(s), time.Now()
		for i, step := range []struct {
			at    time.Duration
			after func()
			as    string
			want  string
			reads int
		}{
			{as: "b", want: "bob", reads: 1},
			{at: blog.AccountAge - 1, as: "b", want: "bob", after: func() {
				_, err := s.Store.UpdateUser(t.Context(), blog.UpdateUser{Actor: s.users["bob"].ID, Username: blog.SetTo("robert")})
				s.must(err)
			}},
			{at: blog.AccountAge, as: "b", want: "robert", reads: 1},
			{at: 2 * blog.AccountAge, as: "z", reads: 1},
			{at: 3 * blog.AccountAge, as: "z", reads: 1, want: "zoe", after: func() { s.user(blog.CreateUser{Subject: "z", Username: "zoe"}) }},
		} {
			time.Sleep(time.Until(began.Add(step.at)))
			if step.after != nil {
				step.after()
			}
			reads = 0
			var answer struct {
				Viewer struct{ Username string }
			}
			decode(t, b.query(as(t, step.as), `{ viewer { username } }`).Data, &answer)
			if answer.Viewer.Username != step.want || reads != step.reads {
				t.Errorf("step %d: %q after %d reads, want %q after %d", i, answer.Viewer.Username, reads, step.want, step.reads)
			}
		}
	})
}

// Edits of accounts through one server, clocks apart, are in each list that is asked for through another one
// afterwards, which answers for accounts that it has read.
func TestEditsOfAccountsAreSeenOnAnotherServer(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	config.AccountAge, config.ClusterClock = blog.AccountAge, blog.SystemClock{}
	first := testkeyspace.Open(t, config, blog.Options{Clock: apart(-5 * time.Second)})
	counting := newCounted(testkeyspace.Open(t, config, blog.Options{Clock: apart(5 * time.Second)}))
	second := server(counting)
	edits := []func(ctx context.Context, user blog.UserID, n int) error{
		func(ctx context.Context, user blog.UserID, n int) error {
			_, err := first.UpdateUser(ctx, blog.UpdateUser{Actor: user, Username: blog.SetTo(numbered(user, n))})
			return err
		},
		func(ctx context.Context, user blog.UserID, _ int) error {
			_, err := first.SuspendUser(ctx, blog.SuspendUser{Role: blog.Operator, User: user})
			return err
		},
		func(ctx context.Context, user blog.UserID, _ int) error {
			_, err := first.SetModerator(ctx, blog.SetModerator{User: user, Moderator: true})
			return err
		},
	}
	var all sync.WaitGroup
	var answers atomic.Int64
	for i := range 6 {
		all.Go(func() {
			subject := fmt.Sprint("subject ", i)
			u := inEachList(t, first, subject)
			var done atomic.Int64 // edits that were answered
			done.Store(int64(u.Version))
			ends := make(chan struct{})
			var asking sync.WaitGroup
			asking.Go(func() {
				for {
					select {
					case <-ends:
						return
					default:
						wantSeen(t, second, subject, u.ID, int(done.Load()))
						answers.Add(1)
					}
				}
			})
			for n := range 2 {
				if err := edits[(i+n)%len(edits)](t.Context(), u.ID, u.Version+n+1); err != nil {
					t.Error(err)
				}
				done.Add(1)
			}
			close(ends)
			asking.Wait()
			if err := first.DeleteAccount(t.Context(), blog.DeleteAccount{Actor: u.ID, User: u.ID, Role: blog.Operator}); err != nil {
				t.Error(err)
			}
			wantSeen(t, second, subject, u.ID, erased)
		})
	}
	all.Wait()
	t.Logf("%d answers", answers.Load())
	made := counting.take()
	for _, query := range []string{"UserBySubject", "UserByID"} {
		if n := answers.Load(); int64(made[query]) > n/2 {
			t.Errorf("%s was asked for most of %d answers: it proves nothing", query, n)
		}
	}
}

// An edit that is refused for another one, which has not returned yet, returns when that one is seen on each server.
func TestAConflictIsSeen(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	config.AccountAge = blog.AccountAge
	first, other := testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	second := server(other)
	u := inEachList(t, first, "subject 0")
	var editing sync.WaitGroup
	defer editing.Wait()
	editing.Go(func() {
		if _, err := first.UpdateUser(t.Context(), blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("One.")}); err != nil {
			t.Error(err)
		}
	})
	for edited := u; edited.Version == u.Version; {
		wantVersion(t, second, u.ID, u.Version)
		var err error
		if edited, err = other.UserByID(t.Context(), u.ID); err != nil {
			t.Fatal(err)
		}
	}
	_, err := other.UpdateUser(t.Context(), blog.UpdateUser{Actor: u.ID, Bio: blog.SetTo("Two."), ExpectedVersion: &u.Version})
	if blog.KindOf(err) != blog.VersionConflict {
		t.Fatal(err)
	}
	wantVersion(t, second, u.ID, u.Version+1)
}

// wantVersion asks for an account as a stranger, by each of its keys, and checks that it is as of a version or later.
func wantVersion(t *testing.T, server api, user blog.UserID, version int) {
	t.Helper()
	id := relay.EncodeID(user)
	answer := server.query(t.Context(), `{ user(id: "`+id+`") { version } node(id: "`+id+`") { ... on User { version } }
		v0: user(username: "v000_of_0") { version } v1: user(username: "`+numbered(user, 2)+`") { version } }`)
	var found map[string]*struct{ Version int }
	if err := json.Unmarshal(answer.Data, &found); err != nil || answer.Errors != nil {
		t.Errorf("%v %v", err, answer.Errors)
	}
	for by, account := range found {
		if version == erased && account != nil || account != nil && account.Version < version || account == nil && version != erased && by[0] != 'v' {
			t.Errorf("after version %d: %s: %s", version, by, answer.Data)
		}
	}
}

// apart is the machine's clock, wrong by so much.
type apart time.Duration

func (a apart) Now() time.Time { return time.Now().Add(time.Duration(a)) }

// numbered is a username that says which version of the account it is from.
func numbered(user blog.UserID, version int) string {
	return fmt.Sprintf("v%03d_%x", version, user.UUID[4:])
}

// inEachList makes an account with a row in each list.
func inEachList(t *testing.T, store blog.Store, subject string) blog.User {
	u, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: subject, Username: "v000_of_" + subject[len("subject "):]})
	if err != nil {
		t.Error(err)
		return u
	}
	post, err := store.CreatePost(t.Context(), blog.CreatePost{Author: u.ID, Title: "T", Content: "C"})
	if err == nil {
		_, _, err = store.CreateComment(t.Context(), blog.CreateComment{Author: u.ID, Post: post.ID, Content: "C"})
	}
	if err == nil {
		_, _, err = store.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: post.ID})
	}
	if err != nil {
		t.Error(err)
	}
	return u
}

const erased = -1

// wantSeen asks for the lists of a user, and checks that what they show of it is as of a version or later.
func wantSeen(t *testing.T, server api, subject string, user blog.UserID, version int) {
	t.Helper()
	wantVersion(t, server, user, version)
	const author = `{ id username }`
	answer := server.query(as(t, subject), `{ viewer { version username suspended } userPosts(userId: "`+relay.EncodeID(user)+`") { edges { node { author `+author+`
		comments { edges { node { author `+author+` } } } likes { edges { node { user `+author+` } } } } } } }`)
	var shown struct {
		Viewer *struct {
			Version  int
			Username string
		}
	}
	if err := json.Unmarshal(answer.Data, &shown); err != nil || answer.Errors != nil {
		t.Errorf("%v %v", err, answer.Errors)
		return
	}
	if gone := shown.Viewer == nil; gone || version == erased {
		if gone != (version == erased) {
			t.Errorf("after version %d: %s", version, answer.Data)
		}
		return
	}
	if names := namesIn(t, answer.Data)[relay.EncodeID(user)]; shown.Viewer.Version < version || len(names) != 1 || !names[shown.Viewer.Username] {
		t.Errorf("after version %d: %s", version, answer.Data)
	}
}

// The author of what the guides' queries show pays one statement for each, two for the feed, as an anonymous reader
// does: the account was read a moment ago.
func TestStatementsOfASignedInReader(t *testing.T) {
	t.Parallel()
	config, statements := testkeyspace.New(t), &observed{}
	store := testkeyspace.Open(t, config, blog.Options{Observer: statements})
	u := inEachList(t, store, "subject 0")
	if err := store.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	posts, err := store.PostsByAuthor(t.Context(), u.ID, blog.FirstPage[blog.PostID](1))
	if err != nil {
		t.Fatal(err)
	}
	user, post := relay.EncodeID(u.ID), relay.EncodeID(posts.Items[0].ID)
	const shown = `{ edges { node { id excerpt commentCount author { id username } } } }`
	for name, query := range map[string]struct {
		text string
		want int
	}{
		"Q1": {`{ user(id: "` + user + `") { id username bio version } }`, 1},
		"Q2": {`{ post(id: "` + post + `") { id content commentCount likeCount author { id username } } }`, 1},
		"Q3": {`{ userPosts(userId: "` + user + `") ` + shown + ` }`, 1},
		"Q4": {`{ comments(postId: "` + post + `") { edges { node { content author { id username } } } } }`, 1},
		"Q5": {`{ likes(postId: "` + post + `") { edges { node { user { id username } } } } }`, 1},
		"Q6": {`{ feed ` + shown + ` }`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			for _, subject := range []string{"", u.Subject} {
				server := attached(graph.NewPlannedSchema, store, io.Discard, client.NewAnswers(0, 0), newHub(store), resolvers.Config{AccountAge: time.Hour})
				server.query(as(t, subject), `{ viewer { id } }`)
				statements.take()
				if answer := server.query(as(t, subject), query.text); answer.Errors != nil {
					t.Fatal(answer.Errors)
				}
				made, n := statements.take(), 0
				for _, times := range made {
					n += times
				}
				if n != query.want {
					t.Errorf("as %q: %v, want %d", subject, made, query.want)
				}
			}
		})
	}
}
