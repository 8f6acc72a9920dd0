package cassandra_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/cassandra/move"
	"broadsheet/internal/audit"
	"broadsheet/internal/cassandratest/cqlnode"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// moveLease is for how long servers of these tests go by a phase.
const moveLease = 500 * time.Millisecond

// longKept is for how long their changes are kept: some are of years ago.
const longKept = 10 * 365 * 24 * time.Hour

func withMoveLease(t *testing.T) cassandra.Config {
	c := testkeyspace.Own(t)
	c.MoveLease = moveLease
	return c
}

// phaseTo moves the key of likes to a phase.
func phaseTo(t *testing.T, mover *cassandra.Store, to move.Phase) {
	t.Helper()
	if err := mover.MoveKey(t.Context(), blog.LikesByUser, to, audit.Verifying{}, func(p move.Phase) { t.Log("reached", p) }); err != nil {
		t.Fatalf("to %s: %v", to, err)
	}
	wantVerified(t, mover)
}

// postsOfYearsAgo makes a post in each of some years before this one.
func postsOfYearsAgo(t *testing.T, c cassandra.Config, years int) (posts []blog.PostID) {
	t.Helper()
	for ago := years; ago > 0; ago-- {
		clock := &movable{}
		clock.ahead.Store(int64(-365 * 24 * time.Hour * time.Duration(ago)))
		past := testkeyspace.Open(t, c, blog.Options{Clock: clock, KeepChanges: longKept})
		posts = append(posts, testkeyspace.NewPost(t, past, testkeyspace.NewUser(t, past)).ID)
		must(t, past.Close())
	}
	return posts
}

// wantVerified wants that nothing has drifted, whatever is in flight.
func wantVerified(t *testing.T, store *cassandra.Store) {
	t.Helper()
	found, err := audit.Verifying{}.Run(t.Context(), store)
	must(t, err)
	for _, table := range found.Tables {
		if table.Drifted > 0 {
			t.Errorf("%d rows of %s have drifted: %v", table.Drifted, table.Table, table.Examples)
		}
	}
}

// likeAndLook likes posts, takes likes back, and looks at all of its own, until the workload is over.
func (w *writer) likeAndLook() {
	for {
		select {
		case <-w.over:
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		w.toggle(ctx)
		w.looks(ctx)
		cancel()
	}
}

// looks reads which of all posts the writer likes, on any server.
func (w *writer) looks(ctx context.Context) {
	var posts []blog.UUID
	for _, post := range w.posts {
		posts = append(posts, post.UUID)
	}
	liked, err := w.server().LikedPosts(ctx, w.user.ID, posts)
	if !w.done("which posts it likes", err) {
		return
	}
	for _, post := range w.posts {
		now := ""
		if _, likes := liked[post.UUID]; likes {
			now = "liked"
		}
		if want := w.likes[post]; want != nil && !slices.Contains(want, now) || want == nil && now != "" {
			w.t.Errorf("%s: its like of %v is %q, want one of %q", w.tag, post, now, want)
		}
	}
}

// A table changes its key while two servers are written to. One of them dies in each phase, and a step is taken back.
// Every answer is that of acknowledged commands, and copies follow their truths in every phase.
func TestMoveUnderLoad(t *testing.T) {
	t.Parallel()
	c := withMoveLease(t)
	old := postsOfYearsAgo(t, c, 2)
	mover := testkeyspace.Open(t, c, blog.Options{})
	var servers []*cassandra.Store
	var breakables []*breakable
	for range 2 {
		b := &breakable{t: t, config: c, options: blog.Options{KeepChanges: longKept}}
		b.start()
		breakables, servers = append(breakables, b), append(servers, b.server)
	}
	seed := storetest.Seed(t)
	w := newWorkloadOf(t, c, seed, servers, 8)
	w.posts = append(w.posts, old...)
	w.began = time.Now()
	for _, writer := range w.writers {
		w.writing.Go(func() { writer.likeAndLook() })
	}
	random, met := rand.New(rand.NewPCG(seed, 3)), cqlnode.Met{}
	for i, to := range []move.Phase{move.Old, move.Both, move.Filled, move.Verified, move.New, move.Verified, move.New, move.Dropped} {
		phaseTo(t, mover, to)
		w.die(breakables[i%2], random, met)
		w.progress(100)
		wantVerified(t, mover)
	}
	w.stop()
	w.check(w.servers[0])
	for _, b := range breakables {
		must(t, b.server.Close())
	}
	rows := testkeyspace.Rows(t, c, "SELECT table_name FROM system_schema.tables WHERE keyspace_name = '%s' AND table_name = 'likes_by_user'")
	if len(rows) > 0 {
		t.Error("the old table stands")
	}
}

// cutOff cuts what a store does off behind so many statements.
type cutOff struct {
	cut  context.CancelFunc
	left atomic.Int64
}

func (c *cutOff) Statement(context.Context, blog.Statement) {
	if c.left.Add(-1) == 0 {
		c.cut()
	}
}

// A mover that is cut off between any two statements leaves a phase that is right, and the next one goes on from there.
func TestMoversThatAreCutOff(t *testing.T) {
	t.Parallel()
	c := withMoveLease(t)
	server := testkeyspace.Open(t, c, blog.Options{})
	u := testkeyspace.NewUser(t, server)
	var likes []blog.UUID
	for range 3 {
		p := testkeyspace.NewPost(t, server, u)
		_, _, err := server.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: p.ID})
		must(t, err)
		likes = append(likes, p.ID.UUID)
	}
	for _, to := range []move.Phase{move.Both, move.Filled, move.Verified, move.New, move.Verified, move.New, move.Dropped} {
		times := 0
		for left := int64(1); ; left *= 2 {
			ctx, cut := context.WithCancel(t.Context())
			cuts := &cutOff{cut: cut}
			mover := testkeyspace.Open(t, c, blog.Options{Observer: cuts})
			cuts.left.Store(left)
			err := mover.MoveKey(ctx, blog.LikesByUser, to, audit.Verifying{}, func(move.Phase) {})
			cut()
			must(t, mover.Close())
			liked, asked := server.LikedPosts(t.Context(), u.ID, likes)
			if asked != nil || len(liked) != len(likes) {
				t.Fatalf("on the way to %s %d likes are read, of %d: %v", to, len(liked), len(likes), asked)
			}
			wantVerified(t, server)
			if err == nil {
				break
			}
			times++
		}
		t.Logf("%s is reached after %d cuts", to, times)
		if times == 0 {
			t.Errorf("no way to %s was cut off", to)
		}
	}
}

// A server of before the successor writes no rows there, and marks that: then the old table is read, and no step goes on
// until the successor was filled again. Once the old table is dropped, such a server does not run any more, and there is no
// way back.
func TestMoveBesideAnOlderServer(t *testing.T) {
	t.Parallel()
	c := withMoveLease(t)
	mover := testkeyspace.Open(t, c, blog.Options{})
	u := testkeyspace.NewUser(t, mover)
	p := testkeyspace.NewPost(t, mover, u)
	_, _, err := mover.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: p.ID})
	must(t, err)
	phaseTo(t, mover, move.New)
	testkeyspace.Execute(t, c, "INSERT INTO %s.checkpoints (name, version, position) VALUES ('"+migrate.UnbuiltName(blog.LikesByUserAndYear)+"', 1, '{}')",
		"TRUNCATE %s.likes_by_user_and_year")
	likes := func() int {
		liked, err := testkeyspace.Open(t, c, blog.Options{}).LikedPosts(t.Context(), u.ID, []blog.UUID{p.ID.UUID})
		must(t, err)
		return len(liked)
	}
	if n := likes(); n != 1 {
		t.Errorf("beside an older server %d likes are read", n)
	}
	to := func(phase move.Phase) error {
		return mover.MoveKey(t.Context(), blog.LikesByUser, phase, audit.Verifying{}, func(move.Phase) {})
	}
	if err := to(move.Dropped); blog.KindOf(err) != blog.Invalid || !strings.Contains(err.Error(), "an older program has written") {
		t.Errorf("the old table is dropped: %v", err)
	}
	phaseTo(t, mover, move.Both)
	phaseTo(t, mover, move.Dropped)
	if n := likes(); n != 1 {
		t.Errorf("from the new table %d likes are read", n)
	}
	if err := to(move.New); blog.KindOf(err) != blog.Invalid {
		t.Errorf("back from the end: %v", err)
	}
	must(t, to(move.Dropped))
	all, err := migrate.Status(t.Context(), c.Config)
	must(t, err)
	if oldest, _, _ := migrate.Serves(all); oldest != 61 {
		t.Errorf("the schema serves programs from %d on", oldest)
	}
}

// A server that can't read any more how far a table has come goes by no phase that has passed: it refuses queries of the
// table, and leaves copies of commands until it can. It answers what is not about the table.
func TestServerThatKnowsNoPhase(t *testing.T) {
	t.Parallel()
	c := withMoveLease(t)
	server := testkeyspace.Open(t, c, blog.Options{})
	u := testkeyspace.NewUser(t, server)
	p, other := testkeyspace.NewPost(t, server, u), testkeyspace.NewPost(t, server, u)
	like := func(of blog.PostID) error {
		_, _, err := server.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: of})
		return err
	}
	liked := func() (map[blog.UUID]blog.Reaction, error) {
		return server.LikedPosts(t.Context(), u.ID, []blog.UUID{p.ID.UUID, other.ID.UUID})
	}
	must(t, like(p.ID))
	testkeyspace.Execute(t, c, "DROP TABLE %s.checkpoints")
	var err error
	for err == nil {
		_, err = liked()
	}
	if blog.KindOf(err) != blog.Unavailable || !strings.Contains(err.Error(), "likes_by_user") {
		t.Errorf("which posts it likes: %v", err)
	}
	must(t, like(other.ID))
	if post, err := server.PostByID(t.Context(), p.ID); err != nil || post.Likes.N != 1 {
		t.Errorf("the post: %d likes, %v", post.Likes.N, err)
	}
	if rows := testkeyspace.Rows(t, c, "SELECT post_id FROM %s.likes_by_user"); len(rows) != 1 {
		t.Errorf("copies are written by no phase: %v", rows)
	}
	testkeyspace.Execute(t, c, "CREATE TABLE %s.checkpoints (name text, version bigint, position text, PRIMARY KEY ((name)))")
	must(t, server.Settle(t.Context()))
	for err != nil {
		_, err = liked()
	}
	if both, err := liked(); err != nil || len(both) != 2 {
		t.Errorf("it likes %v, %v", both, err)
	}
	wantVerified(t, server)
}
