package cassandra_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gocql/gocql"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// A server dies at a checkpoint of an erasure, among posts, comments or likes. Until another goes on with
// it verify finds no drift, and knows that something is under way; then nothing is left.
func testErasureSurvivesItsServer(t *testing.T, config cassandra.Config) {
	ctx := t.Context()
	store := testkeyspace.Open(t, config, blog.Options{})
	for _, nth := range []int{1, 2, 4, 6} {
		user, others := prolific(t, store, size{posts: 12, comments: 13, likes: 11})
		first := dying(t, config, nth, 5)
		must(t, first.DeleteAccount(ctx, blog.DeleteAccount{Actor: user.ID, User: user.ID, Username: user.Username}))
		must(t, first.Settle(ctx))
		forgetPositions(t, config)
		found, err := audit.Verifying{}.Run(ctx, store)
		if err != nil || found.Drifted() > 0 || found.InFlight() == 0 {
			t.Errorf("beside an erasure whose server died at checkpoint %d: %+v, %v", nth, found.Tables, err)
		}
		if claims, want := heldBy(t, config, user.ID), len(blog.KeysToClaim(blog.User{}, user)); claims != want {
			t.Errorf("the account has %d claims while it is erased, want all %d", claims, want)
		}
		_, err = store.CreateUser(ctx, blog.CreateUser{Subject: user.Subject, Username: user.Username})
		if blog.KindOf(err) != blog.Taken {
			t.Errorf("another account of the subject, while the first is erased: %v", err)
		}

		outlive(t, config)
		second := healer(t, config)
		must(t, recovered(ctx, second))
		must(t, second.Settle(ctx))
		wantErased(t, config, second, user, others)
		if left := testkeyspace.JobsLeft(t, config); len(left) > 0 {
			t.Errorf("after checkpoint %d: checkpoints of %v are left", nth, left)
		}
		told := map[blog.ChangeKind]int{}
		for _, change := range storetest.ReadFeed(t, second).Changes {
			if change.Actor == user.ID {
				told[change.Kind]++
			}
		}
		for kind, want := range map[blog.ChangeKind]int{blog.UserErased: 1, blog.PostDeleted: 12, blog.CommentDeleted: 13, blog.PostUnliked: 11} {
			if told[kind] != want {
				t.Errorf("after checkpoint %d: %s is in the feed %d times, want %d", nth, kind, told[kind], want)
			}
		}
	}
}

// A server dies between the truth and the copies of what an erasure deletes. Another goes on with the erasure
// before that deletion's own intent is old enough to be looked at: nothing is left all the same when
// the claims are given back.
func testErasureBehindADeletionThatWasLeft(t *testing.T, config cassandra.Config) {
	for table, n := range map[string]size{
		"posts_by_author":    {posts: 6},
		"comments_by_author": {comments: 6},
		"likes_by_user":      {likes: 6},
	} {
		t.Run(table, func(t *testing.T) {
			ctx := t.Context()
			user, others := prolific(t, testkeyspace.Open(t, config, blog.Options{}), n)
			b := &breakable{t: t, config: config}
			b.start()
			strike := b.proxy.Strike(1, faultproxy.DieBefore, func(r faultproxy.Request) bool { return r.Writes(table) })
			must(t, b.server.DeleteAccount(ctx, blog.DeleteAccount{Actor: user.ID, User: user.ID, Username: user.Username}))
			<-strike.Done()
			b.bury()

			var notDue []string
			for _, row := range testkeyspace.Rows(t, config, "SELECT minute, shard, command_id, kind, done FROM %s.journal") {
				if row["kind"] != "deleteAccount" && row["done"] != true {
					notDue = append(notDue, fmt.Sprintf("UPDATE %%s.journal SET done = true WHERE minute = %d AND shard = %d AND command_id = %v",
						row["minute"].(time.Time).UnixMilli(), row["shard"], row["command_id"]))
				}
			}
			if len(notDue) == 0 {
				t.Fatal("the server that died has left no deletion")
			}
			testkeyspace.Execute(t, config, notDue...)
			outlive(t, config)
			second := healer(t, config)
			must(t, recovered(ctx, second))
			must(t, second.Settle(ctx))
			wantErased(t, config, second, user, others)
		})
	}
}

// The journal has forgotten an erasure that no server went on with: verify tells, and repair ends it.
func testErasureThatNoIntentTellsOf(t *testing.T, config cassandra.Config) {
	ctx := t.Context()
	store := testkeyspace.Open(t, config, blog.Options{})
	user, others := prolific(t, store, size{posts: 12, comments: 3, likes: 3})
	first := dying(t, config, 1, 5)
	must(t, first.DeleteAccount(ctx, blog.DeleteAccount{Role: blog.Operator, User: user.ID}))
	must(t, first.Settle(ctx))
	testkeyspace.Execute(t, config, "TRUNCATE %s.journal")
	outlive(t, config)

	found, err := audit.Verifying{}.Run(ctx, store)
	must(t, err)
	if drifts := driftsOf(found); len(drifts) != 1 || drifts[0].Kind != audit.LeftErasure {
		t.Errorf("verify tells of %v, want the erasure that was left", drifts)
	}
	repaired, err := audit.Verifying{Repair: true}.Run(ctx, store)
	if err != nil || repaired.Left() > 0 || repaired.Repaired() != 1 {
		t.Errorf("repair: %v, %v", driftsOf(repaired), err)
	}
	must(t, store.Settle(ctx))
	wantErased(t, config, store, user, others)
}

// An account is erased while its own lists lack rows, being lost or built anew, so that the erasure does not meet what
// they are of. A rebuild of these ends it, and so does a repair.
func TestErasureThatMissesRows(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]int{"lists that lack rows": 9, "lists built anew": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, config := t.Context(), testkeyspace.New(t)
			store := testkeyspace.Open(t, config, blog.Options{})
			user, others := prolific(t, store, size{posts: 3, comments: 3, likes: 3})
			must(t, store.Settle(ctx))
			lists := []blog.Table{blog.PostsByAuthor, blog.CommentsByAuthor, blog.LikesByUser}
			for _, list := range lists {
				testkeyspace.Execute(t, config, "TRUNCATE %s."+string(list))
			}
			must(t, store.DeleteAccount(ctx, blog.DeleteAccount{Role: blog.Operator, User: user.ID}))
			must(t, store.Settle(ctx))
			for _, list := range lists {
				if left > 0 {
					continue
				}
				built, err := audit.Rebuilding{Await: audit.AtRest}.Run(ctx, store, list)
				if err != nil || built.Verified.Left() > 0 {
					t.Errorf("rebuild of %s: %v, left: %v", list, err, driftsOf(built.Verified))
				}
			}
			found, err := audit.Verifying{}.Run(ctx, store)
			must(t, err)
			told := 0
			for _, d := range driftsOf(found) {
				if d.Kind == audit.LeftErasure {
					told++
				}
			}
			if told != left {
				t.Errorf("verify tells of %d things that an erasure left, want %d: %v", told, left, driftsOf(found))
			}
			if _, err := (audit.Verifying{Repair: true}).Run(ctx, store); err != nil {
				t.Error(err)
			}
			must(t, store.Settle(ctx))
			wantErased(t, config, store, user, others)
		})
	}
}

// Of an account whose truth is lost a command that was given up, or a repair, may have left a placeholder: that is the end of
// no account that was erased, and what it wrote stands.
func TestRepairKeepsWhatALostAccountWrote(t *testing.T) {
	t.Parallel()
	ctx, config := t.Context(), testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	user, others := prolific(t, store, size{posts: 3, comments: 3, likes: 3})
	must(t, store.Settle(ctx))
	testkeyspace.Execute(t, config, "TRUNCATE %s.users_by_id", fmt.Sprintf("UPDATE %%s.users_by_id SET stamp = 1 WHERE user_id = %v", user.ID))
	for range 3 {
		_, err := audit.Verifying{Repair: true, Force: true}.Run(ctx, store)
		must(t, err)
	}
	must(t, store.Settle(ctx))
	posts, comments, likes := 0, 0, 0
	for _, row := range testkeyspace.Rows(t, config, "SELECT author_id, version FROM %s.posts_by_id") {
		if row["author_id"] == gocql.UUID(user.ID.UUID) && row["version"] != 0 {
			posts++
		}
	}
	for _, post := range others {
		now, err := store.PostByID(ctx, post.ID)
		must(t, err)
		comments, likes = comments+now.CommentCount(), likes+now.LikeCount()
	}
	if posts != 3 || comments != 3 || likes != 3 {
		t.Errorf("of 3 posts, 3 comments and 3 likes of a lost account %d, %d and %d stand", posts, comments, likes)
	}
}

// wantErased fails unless nothing of a user's stands, and its name and subject are free.
func wantErased(t *testing.T, config cassandra.Config, store *cassandra.Store, user blog.User, others []blog.Post) {
	t.Helper()
	ctx := t.Context()
	if found := testkeyspace.Drifted(t, store); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
	for _, post := range others {
		now, err := store.PostByID(ctx, post.ID)
		if err != nil || now.CommentCount()+now.LikeCount() > 0 {
			t.Errorf("another's post has %d comments and %d likes, %v", now.CommentCount(), now.LikeCount(), err)
		}
	}
	for _, table := range []string{"posts_by_author", "comments_by_author"} {
		for _, row := range testkeyspace.Rows(t, config, fmt.Sprintf("SELECT username, version FROM %%s.%s WHERE author_id = %v AND bucket = 0", table, user.ID)) {
			if row["username"] != "" || row["version"] != 0 {
				t.Errorf("%s has %v", table, row)
			}
		}
	}
	if claims := heldBy(t, config, user.ID); claims > 0 {
		t.Errorf("%d claims are left", claims)
	}
	_, err := store.CreateUser(ctx, blog.CreateUser{Subject: user.Subject, Username: user.Username})
	must(t, err)
	must(t, store.Settle(ctx))
}

// heldBy returns how many claims a user has.
func heldBy(t *testing.T, config cassandra.Config, user blog.UserID) (n int) {
	t.Helper()
	for _, table := range []string{"username_claims", "email_claims", "subject_claims"} {
		for _, row := range testkeyspace.Rows(t, config, "SELECT user_id FROM %s."+table) {
			if fmt.Sprint(row["user_id"]) == user.String() {
				n++
			}
		}
	}
	return n
}

func driftsOf(v audit.Verified) (drifts []audit.Drift) {
	for _, table := range v.Tables {
		drifts = append(drifts, table.Examples...)
	}
	return drifts
}

// atIntent calls do, once, as a store has written an intent.
type atIntent struct {
	on atomic.Bool
	do func()
}

func (x *atIntent) Statement(_ context.Context, s blog.Statement) {
	if s.Table == blog.Journal && x.on.CompareAndSwap(true, false) {
		x.do()
	}
}

// Of two that erase an account, the slower one is told that it is gone.
func TestErasureBehindAnother(t *testing.T) {
	t.Parallel()
	ctx, config := t.Context(), testkeyspace.New(t)
	at := &atIntent{}
	slow, quick := testkeyspace.Open(t, config, blog.Options{Observer: at}), testkeyspace.Open(t, config, blog.Options{})
	erase := blog.DeleteAccount{Role: blog.Operator, User: testkeyspace.NewUser(t, quick).ID}
	at.do = func() {
		must(t, quick.DeleteAccount(ctx, erase))
		must(t, quick.Settle(ctx))
	}
	at.on.Store(true)
	if err := slow.DeleteAccount(ctx, erase); !blog.IsNotFound(err) || at.on.Load() {
		t.Errorf("%v, want NotFound", err)
	}
}
