package cassandra_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/testkeyspace"
)

// Jobs look through the whole journal and every table.
func TestJobs(t *testing.T) {
	t.Parallel()
	inTurn := testkeyspace.InTurn(t)
	inTurn("a job is held", testJobIsHeld)
	inTurn("a rename survives its server", testRenameSurvivesItsServer)
	inTurn("a post comes to all homes", testHomesSurviveTheirServer)
	inTurn("a post with many followers", testManyFollowers)
	inTurn("a rename beside writers", testRenameBesideWriters)
	inTurn("renames that were left are one walk", testRenamesLeftAreOneWalk)
	inTurn("renames beside a walk are one walk", testRenamesBesideAWalkAreOneWalk)
	inTurn("the checkpoint of a walk that is needless", testCheckpointOfAWalkThatIsNeedless)
	inTurn("old checkpoints are removed", testOldCheckpointsAreRemoved)
}

func TestJobsOfUserEdits(t *testing.T) {
	t.Parallel()
	inTurn := testkeyspace.InTurn(t)
	inTurn("every edit of a user is finished", testEveryUserEditIsFinished)
	inTurn("an edit of an earlier program is finished", testEditOfAnEarlierProgramIsFinished)
	inTurn("an erasure survives its server", testErasureSurvivesItsServer)
	inTurn("an erasure behind a deletion that was left", testErasureBehindADeletionThatWasLeft)
	inTurn("an erasure that no intent tells of", testErasureThatNoIntentTellsOf)
}

func TestJobsOfDeletions(t *testing.T) {
	t.Parallel()
	inTurn := testkeyspace.InTurn(t)
	inTurn("a sweep survives its server", testSweepSurvivesItsServer)
	inTurn("a deletion beside writers", testDeletingBesideWriters)
	inTurn("late copies of a deleted post", testLateCopiesOfADeletedPost)
	inTurn("recovery below a deleted post", testRecoveryBelowADeletedPost)
}

// atCheckpoint calls do, once, as a store writes the nth checkpoint of its life.
type atCheckpoint struct {
	left atomic.Int32
	do   func()
}

func (x *atCheckpoint) Statement(_ context.Context, s blog.Statement) {
	if s.Table == blog.Checkpoints && s.Kind == blog.Conditional && x.left.Add(-1) == 0 {
		x.do()
	}
}

// dying opens a store that crashes as it writes the nth checkpoint, and reads so many
// rows for each.
func dying(t *testing.T, config cassandra.Config, nth, page int) *cassandra.Store {
	t.Helper()
	at := &atCheckpoint{}
	at.left.Store(int32(nth))
	store := testkeyspace.Open(t, config, blog.Options{Observer: at})
	at.do = store.Crash
	store.ReadJobsBy(page)
	return store
}

// outlive makes the leases of servers that died end.
func outlive(t *testing.T, config cassandra.Config) {
	t.Helper()
	testkeyspace.Execute(t, config, "TRUNCATE %s.leases")
}

// healer opens a store for which everything until now was left behind, and that begins
// to look for it at the beginning.
func healer(t *testing.T, config cassandra.Config) *cassandra.Store {
	t.Helper()
	forgetPositions(t, config)
	return longAgo(t, config, time.Minute)
}

// forgetPositions has recovery begin anew. A healer's clock is ahead, and so is the position that it leaves: once that time
// has come, what was begun before it is not looked for.
func forgetPositions(t *testing.T, config cassandra.Config) {
	t.Helper()
	var cql []string
	for _, row := range testkeyspace.Rows(t, config, "SELECT name FROM %s.checkpoints") {
		if name := row["name"].(string); strings.HasPrefix(name, "recovery/") {
			cql = append(cql, fmt.Sprintf("DELETE FROM %%s.checkpoints WHERE name = '%s' IF EXISTS", name))
		}
	}
	testkeyspace.Execute(t, config, cql...)
}

// size is how much a user has written.
type size struct{ posts, comments, likes int }

// prolific makes a user who has written as much, and the posts of others that it
// commented on and liked.
func prolific(t *testing.T, store *cassandra.Store, n size) (user blog.User, others []blog.Post) {
	t.Helper()
	ctx := t.Context()
	user = testkeyspace.NewUser(t, store)
	other := testkeyspace.NewUser(t, store)
	others = make([]blog.Post, max(n.likes, 1))
	atOnce(t, len(others), func(i int) (err error) {
		others[i], err = store.CreatePost(ctx, blog.CreatePost{Author: other.ID, Title: "theirs", Content: "c"})
		return err
	})
	atOnce(t, n.posts, func(int) error {
		_, err := store.CreatePost(ctx, blog.CreatePost{Author: user.ID, Title: "t", Content: "c"})
		return err
	})
	atOnce(t, n.comments, func(i int) error {
		_, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: others[i%len(others)].ID, Content: "c"})
		return err
	})
	atOnce(t, n.likes, func(i int) error {
		_, _, err := store.LikePost(ctx, blog.LikePost{Actor: user.ID, Post: others[i].ID})
		return err
	})
	must(t, store.Settle(ctx))
	return user, others
}

// atOnce does something n times, some at once, and fails the test with the errors.
func atOnce(t *testing.T, n int, do func(i int) error) {
	t.Helper()
	var running sync.WaitGroup
	var next atomic.Int64
	for range min(n, 32) {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !t.Failed(); i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

func rename(t *testing.T, store *cassandra.Store, user blog.UserID, name string) {
	t.Helper()
	_, err := store.UpdateUser(t.Context(), blog.UpdateUser{Actor: user, Username: blog.SetTo(name)})
	must(t, err)
}

// How many copies of the name a walk writes for each row of a list, beside those above it.
var (
	ofPost    = besideRows(blog.NameOfPost(blog.PostRef{}, blog.Name{}))
	ofComment = besideRows(blog.NameOfComment(blog.Comment{}, blog.Name{}))
	ofLike    = besideRows(blog.NameOfReaction(blog.Likes, blog.UUID{}, time.Time{}, blog.Name{}))
)

func besideRows(copies []blog.Copy) (n int64) {
	for _, c := range copies {
		if !c.Family.Static() {
			n++
		}
	}
	return n
}

// A rename whose server dies is gone on with by another one, from where it was.
func testRenameSurvivesItsServer(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	user, _ := prolific(t, store, size{posts: 12, comments: 33, likes: 24})
	// A page has two copies of the name above it.
	for i, c := range []struct {
		nth  int
		left int64 // copies, as pages of any size
	}{
		{1, 2 + 7*ofPost + 2 + 33*ofComment + 2 + 24*ofLike},
		{2, 2 + 2*ofPost + 2 + 33*ofComment + 2 + 24*ofLike},
		{4, 2 + 23*ofComment + 2 + 24*ofLike},
		{9, 2 + 19*ofLike},
		{12, 2 + 4*ofLike},
	} {
		name := fmt.Sprintf("renamed_%d", i)
		first := dying(t, config, c.nth, 5)
		rename(t, first, user.ID, name)
		must(t, first.Settle(t.Context()))
		second := healer(t, config) // at once: the dead server's lease ends by itself
		must(t, recovered(t.Context(), second))
		if done := second.Upkeep().Jobs[blog.RenameJob]; done.Copies != 0 {
			t.Errorf("another server does what the lease says is being done: %+v", done)
		}
		if testkeyspace.Undone(t, config) == 0 {
			t.Fatalf("a server that died at checkpoint %d had written every copy", c.nth)
		}
		outlive(t, config)
		must(t, recovered(t.Context(), second))
		must(t, second.Settle(t.Context()))
		if found := testkeyspace.Drifted(t, store); len(found) > 0 {
			t.Errorf("after recovery from checkpoint %d there is drift in %v", c.nth, found)
		}
		if did := second.Upkeep().Jobs[blog.RenameJob]; did.Running != 0 || did.Copies != c.left {
			t.Errorf("after checkpoint %d the second server did %+v, want %d copies", c.nth, did, c.left)
		}
		if left := testkeyspace.JobsLeft(t, config); len(left) > 0 {
			t.Errorf("checkpoints of %v are left", left)
		}
		if open := testkeyspace.Undone(t, config); open != 0 {
			t.Errorf("%d entries are not done", open)
		}
	}
}

// A post whose server dies is brought by another one to the homes that lack it, and no home has it twice.
func testHomesSurviveTheirServer(t *testing.T, config cassandra.Config) {
	const followers = 120 // more than need no job
	store := testkeyspace.Emptied(t, config)
	author := testkeyspace.NewUser(t, store)
	for _, u := range newUsers(t, store, followers) {
		_, _, err := store.FollowUser(t.Context(), blog.FollowUser{Actor: u.ID, User: author.ID})
		must(t, err)
	}
	must(t, store.Settle(t.Context()))
	for _, nth := range []int{1, 22} {
		first := dying(t, config, nth, 5)
		post := testkeyspace.NewPost(t, first, author)
		must(t, first.Settle(t.Context()))
		count := func() (n int) {
			for _, row := range testkeyspace.Rows(t, config, "SELECT post_id FROM %s.home_by_user") {
				if fmt.Sprint(row["post_id"]) == post.ID.String() {
					n++
				}
			}
			return n
		}
		t.Logf("%d homes had it when its server died", count())
		if n := count(); n >= followers || testkeyspace.Undone(t, config) == 0 {
			t.Errorf("%d homes have it of a server that died at checkpoint %d", n, nth)
		}
		if found, err := (audit.Verifying{}).Run(t.Context(), store); err != nil || found.Drifted() > 0 || found.InFlight() == 0 {
			t.Errorf("while it is on its way %d have drifted, %d are in flight: %v", found.Drifted(), found.InFlight(), err)
		}
		outlive(t, config)
		second := healer(t, config)
		must(t, recovered(t.Context(), second))
		must(t, second.Settle(t.Context()))
		if n := count(); n != followers {
			t.Errorf("%d homes have it of %d", n, followers)
		}
		if left := testkeyspace.JobsLeft(t, config); len(left) > 0 || testkeyspace.Undone(t, config) > 0 {
			t.Errorf("checkpoints of %v are left, %d entries are not done", left, testkeyspace.Undone(t, config))
		}
		if found := testkeyspace.Drifted(t, store); len(found) > 0 {
			t.Errorf("there is drift in %v", found)
		}
	}
}

// A job is done once at a time: not by another server, nor twice by one. One that is cut
// off gives it up at once.
func testJobIsHeld(t *testing.T, config cassandra.Config) {
	other := testkeyspace.Open(t, config, blog.Options{})
	user, _ := prolific(t, other, size{comments: 40})
	command := blog.CommandID{UUID: user.ID.UUID}

	reached, goOn := make(chan struct{}), make(chan struct{})
	at := &atCheckpoint{do: func() { close(reached); <-goOn }}
	at.left.Store(2)
	holder := testkeyspace.Open(t, config, blog.Options{Observer: at})
	holder.ReadJobsBy(5)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- holder.SpreadName(ctx, command, user.ID) }()
	<-reached
	for _, server := range []*cassandra.Store{holder, other} {
		if err := server.SpreadName(t.Context(), command, user.ID); !errors.Is(err, cassandra.ErrHeld) {
			t.Errorf("a job that runs, begun once more: %v", err)
		}
	}
	if now := holder.Upkeep().Jobs[blog.RenameJob]; now.Running != 1 || now.Copies < 10*ofComment {
		t.Errorf("the holder reports %+v", now)
	}
	cancel()
	close(goOn)
	if err := <-ended; err == nil || errors.Is(err, cassandra.ErrHeld) {
		t.Errorf("a job that was cut off: %v", err)
	}
	must(t, other.SpreadName(t.Context(), command, user.ID))
	if did := other.Upkeep().Jobs[blog.RenameJob].Copies; did == 0 || did > (40-10)*ofComment+6 {
		t.Errorf("the other server wrote %d copies, want what was left", did)
	}
	if left := testkeyspace.JobsLeft(t, config); len(left) > 0 {
		t.Errorf("checkpoints of %v are left", left)
	}
}

// Jobs keep to their rate.
func TestJobRate(t *testing.T) {
	t.Parallel()
	config := shared.Config(t)
	config.JobRate = 100
	store := testkeyspace.Open(t, config, blog.Options{})
	user, _ := prolific(t, store, size{comments: 150})
	store.ReadJobsBy(60)
	took := stopwatch(func() { must(t, store.SpreadName(t.Context(), blog.CommandID{UUID: user.ID.UUID}, user.ID)) })
	// What goes last need not be waited for: the last page, and the static cells.
	if took.Seconds() < 1 {
		t.Errorf("150 copies at 100 a second took %v", took)
	}
}

// While recovery goes on with a rename its account is erased, wholly: then no row has the name any more, and the
// rename is done.
func TestRecoveryOfARenameOfWhoIsErased(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	user, _ := prolific(t, store, size{posts: 3, comments: 12, likes: 4})
	must(t, store.Settle(t.Context()))
	must(t, leftByDeathAt(t, config, nil, updating(t, blog.UpdateUser{Actor: user.ID, Username: blog.SetTo("soon_gone")})))
	page := &afterStatement{table: blog.CommentsByAuthor, kind: blog.Read, do: func() {
		must(t, store.DeleteAccount(t.Context(), blog.DeleteAccount{Role: blog.Operator, User: user.ID}))
		must(t, store.Settle(t.Context()))
	}}
	page.on.Store(true)
	recovery := testkeyspace.Open(t, config, blog.Options{Clock: ahead(time.Minute), Observer: page})
	recovery.ReadJobsBy(5)
	must(t, recovered(t.Context(), recovery))
	must(t, recovery.Settle(t.Context()))
	if page.on.Load() {
		t.Fatal("nothing was walked")
	}
	testkeyspace.WantClean(t, config, store)
}
