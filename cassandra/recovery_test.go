package cassandra_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/testkeyspace"
)

// ahead is a clock that shows a later time than the machine's.
type ahead time.Duration

func (d ahead) Now() time.Time { return time.Now().Add(time.Duration(d)) }

// longAgo opens a store whose clock is so far ahead that what others did until now was
// left behind.
func longAgo(t *testing.T, config cassandra.Config, d time.Duration) *cassandra.Store {
	t.Helper()
	return testkeyspace.Open(t, config, blog.Options{Clock: ahead(d)})
}

// undo makes the journal say that no command has ended.
func undo(t *testing.T, config cassandra.Config) (entries int) {
	t.Helper()
	var cql []string
	for _, row := range testkeyspace.Rows(t, config, "SELECT minute, shard, command_id FROM %s.journal") {
		cql = append(cql, fmt.Sprintf("UPDATE %%s.journal SET done = false WHERE minute = %d AND shard = %d AND command_id = %v",
			row["minute"].(time.Time).UnixMilli(), row["shard"], row["command_id"]))
	}
	testkeyspace.Execute(t, config, cql...)
	return len(cql)
}

// copyTables are the tables that hold nothing but copies.
var copyTables = slices.DeleteFunc(blog.Rebuildable(), func(t blog.Table) bool { return t == blog.FeedBuckets })

// A cluster of servers that all died between truth and copies: no copy was ever written,
// no command is marked done. Recovery writes every copy from the truths.
func TestRecoveryWritesWhatWasNeverWritten(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	everyCommand(t, store)
	must(t, store.Settle(t.Context()))
	var cql []string
	for _, table := range copyTables {
		cql = append(cql, "TRUNCATE %s."+string(table))
	}
	for _, row := range testkeyspace.Rows(t, config, "SELECT post_id FROM %s.posts_by_id") {
		cql = append(cql, fmt.Sprintf("UPDATE %%s.posts_by_id USING TIMESTAMP 1 SET username = 'x', comment_count = 99 WHERE post_id = %v", row["post_id"]))
	}
	testkeyspace.Execute(t, config, cql...)
	entries := undo(t, config)

	healer := longAgo(t, config, time.Minute)
	must(t, recovered(t.Context(), healer))
	must(t, healer.Settle(t.Context()))
	if found := testkeyspace.Drifted(t, healer); len(found) > 0 {
		t.Errorf("after recovery there is drift in %v", found)
	}
	if open := testkeyspace.Undone(t, config); open != 0 {
		t.Errorf("%d of %d entries are not done", open, entries)
	}
	if u := healer.Upkeep(); u.Recovered != int64(entries) || u.Undone != 0 {
		t.Errorf("of %d entries it reports %+v", entries, u)
	}
}

// Recovery that the cluster kept from finishing a command says so, and finishes it when it is tried again.
func TestRecoveryTellsOfWhatWasNotAnswered(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	testkeyspace.NewUser(t, store)
	must(t, store.Settle(t.Context()))
	undo(t, config)
	b := &breakable{t: t, config: config, options: blog.Options{Clock: ahead(time.Minute)}}
	b.start()
	defer b.server.Close()
	b.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
		if r.Writes(string(blog.UsersByUsername)) {
			return faultproxy.Fail
		}
		return faultproxy.None
	})
	if err := b.server.Recover(t.Context()); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("recovery while copies can't be written: %v, want unavailable", err)
	}
	if open := testkeyspace.Undone(t, config); open != 1 {
		t.Errorf("%d entries are undone, want 1", open)
	}
	b.proxy.SetRule(nil)
	must(t, recovered(t.Context(), b.server))
	if open := testkeyspace.Undone(t, config); open != 0 {
		t.Errorf("%d entries are undone, want none", open)
	}
}

// A command that was not applied is looked at for hours, as its conditional write may come late. Nothing of it is half
// done meanwhile, and nobody is to be woken.
func TestACommandThatWasNotAppliedIsNotHalfDone(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	testkeyspace.NewPost(t, store, testkeyspace.NewUser(t, store))
	must(t, store.Settle(t.Context()))
	undo(t, config)
	testkeyspace.Execute(t, config, "TRUNCATE %s.posts_by_id")
	healer := longAgo(t, config, time.Minute)
	must(t, recovered(t.Context(), healer))
	if open := testkeyspace.Undone(t, config); open != 1 {
		t.Errorf("%d entries are undone, want that of the post", open)
	}
	if u := healer.Upkeep(); u.Undone != 0 || u.OldestUndone != 0 {
		t.Errorf("it reports %d half done, the oldest since %v", u.Undone, u.OldestUndone)
	}
}

// Recovery beside servers that are alive, and done twice, changes nothing.
func TestRecoveryOfWhatIsDoneChangesNothing(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	everyCommand(t, store)
	undo(t, config)
	for range 2 {
		must(t, recovered(t.Context(), longAgo(t, config, time.Minute)))
		if found := testkeyspace.Drifted(t, store); len(found) > 0 {
			t.Fatalf("after recovery there is drift in %v", found)
		}
	}
}

// The workers of several servers find what is left behind by themselves.
func TestMaintainRecovers(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, store)
	must(t, store.Settle(t.Context()))
	undo(t, config)
	testkeyspace.Execute(t, config, "TRUNCATE %s.users_by_username")

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{}, 2)
	for range cap(ended) {
		server := longAgo(t, config, time.Minute)
		go func() { server.Maintain(ctx); ended <- struct{}{} }()
	}
	deadline := time.After(2 * time.Minute)
	for {
		if _, err := store.UserByUsername(t.Context(), user.Username); err == nil {
			break
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			t.Fatal("nobody recovers the user")
		}
	}
	cancel()
	<-ended
	<-ended
}

// The claims of an account that was never made are free again after recovery, and the
// creator who comes back late with the same key still makes it.
func TestRecoveryFreesTheNamesOfAUserThatWasNotMade(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	c := blog.CreateUser{Subject: "ann", Username: "ann", IdempotencyKey: new("k")}
	made, err := store.CreateUser(t.Context(), c)
	must(t, err)
	must(t, store.Settle(t.Context()))
	undo(t, config)
	testkeyspace.Execute(t, config,
		"TRUNCATE %s.users_by_id", "TRUNCATE %s.users_by_username", "TRUNCATE %s.users_by_subject",
		fmt.Sprintf("DELETE outcome FROM %%s.idempotency_keys WHERE owner = '%s' AND mutation = 'createUser' AND key = 'k' IF EXISTS", "ann"))

	must(t, recovered(t.Context(), longAgo(t, config, time.Minute)))
	if n := len(testkeyspace.Rows(t, config, "SELECT username_key FROM %s.username_claims")); n != 0 {
		t.Fatalf("%d names are still claimed", n)
	}
	again, err := store.CreateUser(t.Context(), c)
	must(t, err)
	if again.ID != made.ID {
		t.Errorf("made %v the second time, %v the first", again.ID, made.ID)
	}
	must(t, store.Settle(t.Context()))
	must(t, recovered(t.Context(), longAgo(t, config, time.Hour)))
	if found := testkeyspace.Drifted(t, store); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
	if _, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: "bob", Username: "ann"}); blog.KindOf(err) != blog.Taken {
		t.Errorf("the name of a user that was made late: %v, want it taken", err)
	}
}

// The change feed has no creation of a user that was never made.
func TestRecoveryOfAUserThatWasNeverMade(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	testkeyspace.NewUser(t, store)
	must(t, store.Settle(t.Context()))
	undo(t, config)
	testkeyspace.Execute(t, config, "TRUNCATE %s.users_by_id", "TRUNCATE %s.changes_by_log")

	for _, later := range []time.Duration{time.Minute, time.Hour, 10 * time.Hour} {
		must(t, recovered(t.Context(), longAgo(t, config, later)))
	}
	if said := testkeyspace.Rows(t, config, "SELECT kind FROM %s.changes_by_log"); len(said) > 0 {
		t.Errorf("the change log has %v", said)
	}
	if open := testkeyspace.Undone(t, config); open > 0 {
		t.Errorf("%d entries are not done", open)
	}
}

// everyCommand runs each command at least once, and some upon others' results.
func everyCommand(t *testing.T, store *cassandra.Store) {
	t.Helper()
	ctx := t.Context()
	ann, bob := testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store)
	kept, deleted := testkeyspace.NewPost(t, store, ann), testkeyspace.NewPost(t, store, bob)
	_, err := store.UpdatePost(ctx, blog.UpdatePost{Actor: ann.ID, Post: kept.ID, Title: blog.SetTo("Another title")})
	must(t, err)
	for _, post := range []blog.Post{kept, deleted} {
		for _, user := range []blog.User{ann, bob} {
			for _, text := range []string{"stays", "goes", "changes"} {
				comment, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: text})
				must(t, err)
				switch text {
				case "goes":
					_, err = store.DeleteComment(ctx, blog.DeleteComment{Actor: post.Author.ID, Key: comment.Key()})
				case "changes":
					_, err = store.UpdateComment(ctx, blog.UpdateComment{Actor: user.ID, Key: comment.Key(), Content: "changed"})
				}
				must(t, err)
			}
			_, _, err := store.LikePost(ctx, blog.LikePost{Actor: user.ID, Post: post.ID})
			must(t, err)
		}
	}
	_, err = store.UnlikePost(ctx, blog.UnlikePost{Actor: ann.ID, Post: kept.ID})
	must(t, err)
	_, err = store.UnlikePost(ctx, blog.UnlikePost{Actor: bob.ID, Post: kept.ID})
	must(t, err)
	_, _, err = store.LikePost(ctx, blog.LikePost{Actor: bob.ID, Post: kept.ID})
	must(t, err)
	must(t, store.DeletePost(ctx, blog.DeletePost{Actor: ann.ID, Role: blog.Moderator, Post: deleted.ID}))
	_, err = store.UpdateUser(ctx, blog.UpdateUser{Actor: ann.ID, Username: blog.SetTo(ann.Username[:20] + "_r"), Email: blog.SetTo("new-" + *ann.Email), ProvedEmail: "new-" + *ann.Email})
	must(t, err)
	_, err = store.UpdateUser(ctx, blog.UpdateUser{Actor: bob.ID, Bio: blog.SetTo("a bio")})
	must(t, err)
	_, err = store.SuspendUser(ctx, blog.SuspendUser{Role: blog.Operator, User: ann.ID})
	must(t, err)
	_, err = store.SuspendUser(ctx, blog.SuspendUser{Role: blog.Operator, User: bob.ID})
	must(t, err)
	_, err = store.SetModerator(ctx, blog.SetModerator{User: ann.ID, Moderator: true})
	must(t, err)
	_, err = store.SetModerator(ctx, blog.SetModerator{User: bob.ID, Moderator: true})
	must(t, err)
	_, err = store.SetModerator(ctx, blog.SetModerator{User: bob.ID})
	must(t, err)
	_, err = store.RelinkUser(ctx, blog.RelinkUser{User: bob.ID, Subject: "another of " + bob.Subject})
	must(t, err)
	_, err = store.VerifyEmail(ctx, blog.VerifyEmail{User: ann.ID, Email: "new-" + *ann.Email})
	must(t, err)
	_, err = store.RestoreUser(ctx, blog.RestoreUser{Role: blog.Operator, User: bob.ID})
	must(t, err)
	carl := testkeyspace.NewUser(t, store)
	testkeyspace.NewPost(t, store, carl)
	_, _, err = store.CreateComment(ctx, blog.CreateComment{Author: carl.ID, Post: kept.ID, Content: "goes"})
	must(t, err)
	_, _, err = store.LikePost(ctx, blog.LikePost{Actor: carl.ID, Post: kept.ID})
	must(t, err)
	must(t, store.DeleteAccount(ctx, blog.DeleteAccount{Actor: carl.ID, User: carl.ID, Username: carl.Username}))
}
