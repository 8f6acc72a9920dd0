package cassandra_test

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/testkeyspace"
)

// userEdits are the kinds of edits of a user, as what follows from them differs.
var userEdits = []struct {
	name string
	edit func(u blog.User) blog.UpdateUser
}{
	{"the name in another case", func(u blog.User) blog.UpdateUser {
		return blog.UpdateUser{Username: blog.SetTo(strings.ToUpper(u.Username))}
	}},
	{"another name", func(u blog.User) blog.UpdateUser {
		return blog.UpdateUser{Username: blog.SetTo(u.Username[:20] + "_other")}
	}},
	{"another name and no address", func(u blog.User) blog.UpdateUser {
		return blog.UpdateUser{Username: blog.SetTo(u.Username[:20] + "_Other"), Email: blog.Clear()}
	}},
	{"another address", func(u blog.User) blog.UpdateUser {
		return blog.UpdateUser{Email: blog.SetTo("other-" + *u.Email), ProvedEmail: "other-" + *u.Email}
	}},
	{"the address in another case", func(u blog.User) blog.UpdateUser {
		return blog.UpdateUser{Email: blog.SetTo(strings.ToUpper(*u.Email))}
	}},
	{"fields that are cleared", func(u blog.User) blog.UpdateUser {
		return blog.UpdateUser{Email: blog.Clear(), DisplayName: blog.Clear(), Bio: blog.Clear()}
	}},
	{"another display name", func(u blog.User) blog.UpdateUser {
		return blog.UpdateUser{DisplayName: blog.SetTo("Another One")}
	}},
}

// atUserTruth calls do, once, as a store has written the truth of a user.
type atUserTruth struct {
	on atomic.Bool
	do func()
}

func (x *atUserTruth) Statement(_ context.Context, s blog.Statement) {
	if s.Table == blog.UsersByID && s.Kind == blog.Conditional && x.on.CompareAndSwap(true, false) {
		x.do()
	}
}

// Whatever an edit changed, and wherever the server that made it left off, what follows
// from it is finished by another.
func testEveryUserEditIsFinished(t *testing.T, config cassandra.Config) {
	for _, way := range []struct {
		name string
		left func(t *testing.T, config cassandra.Config, edits []blog.UpdateUser)
	}{
		{"its server died behind the truth", leftByDeath},
		{"its server was closed in the middle of its walk", leftByClosing},
		{"there was no place in the background", leftWithout((*cassandra.Store).FillBackground)},
		{"too many jobs ran", leftWithout((*cassandra.Store).FillJobs)},
	} {
		t.Run(way.name, func(t *testing.T) {
			store := testkeyspace.Open(t, config, blog.Options{})
			var edits []blog.UpdateUser
			for _, kind := range userEdits {
				user, _ := prolific(t, store, size{posts: 3, comments: 12, likes: 4})
				user, err := store.UpdateUser(t.Context(), blog.UpdateUser{Actor: user.ID, DisplayName: blog.SetTo("One"), Bio: blog.SetTo("A bio.")})
				must(t, err)
				c := kind.edit(user)
				c.Actor = user.ID
				edits = append(edits, c)
			}
			must(t, store.Settle(t.Context()))
			way.left(t, config, edits)

			outlive(t, config)
			second := healer(t, config)
			must(t, recovered(t.Context(), second))
			must(t, second.Settle(t.Context()))
			for i, c := range edits {
				now, err := store.UserByID(t.Context(), c.Actor)
				must(t, err)
				if _, changed := c.After(now, blog.SystemClock{}); changed {
					t.Errorf("%s: was not made", userEdits[i].name)
				}
			}
			testkeyspace.WantClean(t, config, store)
		})
	}
}

// leftByDeath has a server of its own make each edit, which dies as the truth is written.
func leftByDeath(t *testing.T, config cassandra.Config, edits []blog.UpdateUser) {
	atOnce(t, len(edits), func(i int) error { return leftByDeathAt(t, config, nil, updating(t, edits[i])) })
}

// updating returns what makes an edit on a server.
func updating(t *testing.T, c blog.UpdateUser) func(*cassandra.Store) error {
	return func(s *cassandra.Store) error {
		_, err := s.UpdateUser(t.Context(), c)
		return err
	}
}

// leftByClosing closes a server that writes a few copies a second.
func leftByClosing(t *testing.T, config cassandra.Config, edits []blog.UpdateUser) {
	config.JobRate = 4
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := cassandra.Open(ctx, config, blog.Options{})
	must(t, err)
	for _, c := range edits {
		_, err := server.UpdateUser(t.Context(), c)
		must(t, err)
	}
	if err := server.CloseAtOnce(); err == nil {
		t.Error("every copy was written before the server was closed")
	}
}

// leftWithout returns a way to edit on a server that lacks what it needs after its reply.
func leftWithout(fill func(*cassandra.Store)) func(*testing.T, cassandra.Config, []blog.UpdateUser) {
	return func(t *testing.T, config cassandra.Config, edits []blog.UpdateUser) {
		server := testkeyspace.Open(t, config, blog.Options{})
		fill(server)
		atOnce(t, len(edits), func(i int) error { return editWithin(t, server, edits[i]) })
	}
}

// editWithin makes an edit whose reply does not wait for what follows for longer than a busy
// machine may take to write the truth.
func editWithin(t *testing.T, server *cassandra.Store, c blog.UpdateUser) error {
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	_, err := server.UpdateUser(ctx, c)
	return err
}

// An earlier program wrote down the keys of names only, and none of an edit that changes none. What
// follows from its edits is finished all the same.
func testEditOfAnEarlierProgramIsFinished(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	user, _ := prolific(t, store, size{comments: 3, likes: 3})
	must(t, store.Settle(t.Context()))
	testkeyspace.Execute(t, config, "TRUNCATE %s.journal") // of what is done
	leftByDeath(t, config, []blog.UpdateUser{{Actor: user.ID, Username: blog.SetTo(strings.ToUpper(user.Username))}})
	must(t, leftByDeathAt(t, config, nil, func(s *cassandra.Store) error {
		_, err := s.SuspendUser(t.Context(), blog.SuspendUser{Role: blog.Operator, User: user.ID})
		return err
	}))
	keepKeysOnly(t, config)

	second := healer(t, config)
	must(t, recovered(t.Context(), second))
	testkeyspace.WantClean(t, config, store)
	said := testkeyspace.Rows(t, config, "SELECT kind FROM %s.changes_by_log")
	for _, kind := range []blog.ChangeKind{blog.UserUpdated, blog.UserSuspended} {
		if !slices.ContainsFunc(said, func(row map[string]any) bool { return row["kind"] == string(kind) }) {
			t.Errorf("the change log has no %s: %v", kind, said)
		}
	}
}

// keepKeysOnly takes out of the journal what an earlier program did not write into it.
func keepKeysOnly(t *testing.T, config cassandra.Config) {
	t.Helper()
	later := map[string]*regexp.Regexp{
		"updateUser":  regexp.MustCompile(`"shown":"[^"]*",`),
		"suspendUser": regexp.MustCompile(`,"old":\[.*\],"new":\{[^}]*\}`),
	}
	var cql []string
	for _, row := range testkeyspace.Rows(t, config, "SELECT minute, shard, command_id, kind, intent FROM %s.journal") {
		before := later[row["kind"].(string)].ReplaceAllString(row["intent"].(string), "")
		if before == row["intent"] {
			t.Fatalf("the intent of a %s lacks nothing: %s", row["kind"], before)
		}
		cql = append(cql, fmt.Sprintf("UPDATE %%s.journal SET intent = '%s' WHERE minute = %d AND shard = %d AND command_id = %v",
			before, row["minute"].(time.Time).UnixMilli(), row["shard"], row["command_id"]))
	}
	testkeyspace.Execute(t, config, cql...)
}

// The renames of one user that servers left are one walk, whichever is looked at first.
func testRenamesLeftAreOneWalk(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	user, _ := prolific(t, store, size{posts: 4, comments: 20, likes: 10})
	server := testkeyspace.Open(t, config, blog.Options{})
	server.FillJobs()
	for _, name := range []string{"walk_one", "Walk_One", "walk_two", "walk_one", "walk_six"} {
		rename(t, server, user.ID, name)
	}
	must(t, server.Settle(t.Context()))

	second := healer(t, config)
	must(t, recovered(t.Context(), second))
	must(t, recovered(t.Context(), second)) // those that came while the walk was under way
	walk := 2 + 4*ofPost + 2 + 20*ofComment + 2 + 10*ofLike
	if did := second.Upkeep().Jobs[blog.RenameJob].Copies; did != walk {
		t.Errorf("recovery wrote %d copies, want those of one walk, %d", did, walk)
	}
	testkeyspace.WantClean(t, config, store)
}

// Renames of a user that one server makes while a walk is under way are one more walk.
func testRenamesBesideAWalkAreOneWalk(t *testing.T, config cassandra.Config) {
	reached, goOn := make(chan struct{}), make(chan struct{})
	at := &atCheckpoint{do: func() { close(reached); <-goOn }}
	at.left.Store(1)
	server := testkeyspace.Open(t, config, blog.Options{Observer: at})
	server.ReadJobsBy(30)
	user, _ := prolific(t, server, size{comments: 50})
	rename(t, server, user.ID, "turn_one")
	<-reached
	before := server.Upkeep().Jobs[blog.RenameJob].Copies
	names := []string{"turn_two", "Turn_Two", "turn_six"}
	for _, name := range names {
		rename(t, server, user.ID, name)
	}
	for deadline := time.Now().Add(time.Minute); server.RenamesSpreading() <= len(names); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d renames wait for their turn, want %d", server.RenamesSpreading()-1, len(names))
		}
	}
	close(goOn)
	must(t, server.Settle(t.Context()))
	// The rest of the walk, and another one: pages of 30 comments and 20, and of likes.
	rest, walk := 2+20*ofComment+2, 2+2+30*ofComment+2+20*ofComment+2
	if did := server.Upkeep().Jobs[blog.RenameJob].Copies - before; did > rest+walk {
		t.Errorf("%d copies were written after the first page, want %d", did, rest+walk)
	}
	testkeyspace.WantClean(t, config, server)
}

// A checkpoint of a walk that a later rename's has made needless goes with its entry.
func testCheckpointOfAWalkThatIsNeedless(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Open(t, config, blog.Options{})
	user, _ := prolific(t, store, size{comments: 40})
	first := dying(t, config, 2, 5)
	rename(t, first, user.ID, "needless")
	must(t, first.Settle(t.Context()))
	if len(testkeyspace.JobsLeft(t, config)) != 1 {
		t.Fatalf("%v are left, want the walk's checkpoint", testkeyspace.JobsLeft(t, config))
	}
	outlive(t, config)
	second := healer(t, config)
	rename(t, second, user.ID, "needed")
	must(t, second.Settle(t.Context()))
	before := second.Upkeep().Jobs[blog.RenameJob].Copies
	must(t, recovered(t.Context(), second))
	if did := second.Upkeep().Jobs[blog.RenameJob].Copies; did != before {
		t.Errorf("recovery wrote %d copies that a later rename had written", did-before)
	}
	testkeyspace.WantClean(t, config, store)
}

// A checkpoint that no entry of the journal leads to any more is removed, and no other.
func testOldCheckpointsAreRemoved(t *testing.T, config cassandra.Config) {
	ctx, cancel := context.WithCancel(t.Context())
	at := &atCheckpoint{do: cancel}
	at.left.Store(2)
	server := testkeyspace.Open(t, config, blog.Options{Observer: at})
	server.ReadJobsBy(5)
	user, _ := prolific(t, server, size{comments: 40})
	if err := server.SpreadName(ctx, blog.CommandID{UUID: user.ID.UUID}, user.ID); err == nil {
		t.Fatal("the walk ended")
	}
	for _, c := range []struct {
		later time.Duration
		left  int
	}{{0, 1}, {3 * 24 * time.Hour, 1}, {4 * 24 * time.Hour, 0}} {
		must(t, longAgo(t, config, c.later).KeepCheckpoints(t.Context()))
		if left := testkeyspace.JobsLeft(t, config); len(left) != c.left {
			t.Errorf("%v later %v are left, want %d", c.later, left, c.left)
		}
	}
}
