package cassandra_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// A user renames while it writes through two servers, and the one that spreads the name
// dies in the middle.
func testRenameBesideWriters(t *testing.T, config cassandra.Config) {
	renameBesideWriters(t, config, size{posts: 20, comments: 120, likes: 120}, 20)
}

// TestSoakRename is testRenameBesideWriters at a size that takes minutes.
// BROADSHEET_SOAK_RENAME=posts,comments,likes sets another one.
func TestSoakRename(t *testing.T) {
	storetest.Soaks(t)
	n := size{posts: 2_000, comments: 20_000, likes: 20_000}
	if text := os.Getenv("BROADSHEET_SOAK_RENAME"); text != "" {
		if _, err := fmt.Sscanf(text, "%d,%d,%d", &n.posts, &n.comments, &n.likes); err != nil {
			t.Fatalf("BROADSHEET_SOAK_RENAME=%s: %v", strconv.Quote(text), err)
		}
	}
	renameBesideWriters(t, testkeyspace.New(t), n, 500)
}

func renameBesideWriters(t *testing.T, config cassandra.Config, n size, page int) {
	t.Helper()
	store := testkeyspace.Open(t, config, blog.Options{})
	began := time.Now()
	user, others := prolific(t, store, n)
	t.Logf("%d posts, %d comments and %d likes in %v", n.posts, n.comments, n.likes, time.Since(began).Round(time.Millisecond))

	// The job dies in the middle of all its pages.
	first := dying(t, config, (n.posts+n.comments+n.likes)/page/2, page)
	second := testkeyspace.Open(t, config, blog.Options{})
	w := startScribes(t, []*cassandra.Store{store, second}, user, others)
	began = time.Now()
	rename(t, first, user.ID, "renamed_at_scale")
	must(t, first.Settle(t.Context()))
	did := first.Upkeep().Jobs[blog.RenameJob].Copies
	t.Logf("%d copies until the crash, in %v", did, time.Since(began).Round(time.Millisecond))

	outlive(t, config)
	other := healer(t, config)
	other.ReadJobsBy(page)
	began = time.Now()
	must(t, recovered(t.Context(), other))
	rest := other.Upkeep().Jobs[blog.RenameJob].Copies
	t.Logf("%d copies by another server, in %v", rest, time.Since(began).Round(time.Millisecond))
	t.Logf("%d commands of the user beside that", w.stop())
	must(t, store.Settle(t.Context()))
	must(t, second.Settle(t.Context()))

	if did == 0 || rest == 0 {
		t.Errorf("%d copies before the crash, %d after it: it was not in the middle", did, rest)
	}
	now, err := store.UserByID(t.Context(), user.ID)
	must(t, err)
	if now.Username != "renamed_at_scale" {
		t.Errorf("the user is called %s", now.Username)
	}
	began = time.Now()
	found, err := audit.Verifying{}.Run(t.Context(), store)
	must(t, err)
	for _, table := range found.Tables {
		for _, example := range table.Examples {
			t.Errorf("%s, %s: %s", table.Table, example.Row, example.Problem)
		}
	}
	t.Logf("verified in %v", time.Since(began).Round(time.Millisecond))
	if open := testkeyspace.Undone(t, config); open != 0 {
		t.Errorf("%d entries are not done", open)
	}
	if left := testkeyspace.JobsLeft(t, config); len(left) > 0 {
		t.Errorf("checkpoints of %v are left", left)
	}
}

// scribes write as one user through several servers until they are stopped.
type scribes struct {
	running  sync.WaitGroup
	stopped  context.CancelFunc
	commands atomic.Int64
}

func startScribes(t *testing.T, servers []*cassandra.Store, user blog.User, posts []blog.Post) *scribes {
	w := &scribes{}
	ctx, cancel := context.WithCancel(t.Context())
	w.stopped = cancel
	for _, server := range servers {
		for i := range 2 {
			w.running.Go(func() {
				for n := i; ctx.Err() == nil; n += 7 {
					if err := writeOnce(t.Context(), server, user.ID, posts[n%len(posts)].ID, n); err != nil {
						t.Error(err)
						return
					}
					w.commands.Add(1)
				}
			})
		}
	}
	return w
}

func (w *scribes) stop() (commands int64) {
	w.stopped()
	w.running.Wait()
	return w.commands.Load()
}

// writeOnce makes one of a user's commands, in turn: likes and unlikes above all, for
// those write and delete what a rename walks through.
func writeOnce(ctx context.Context, store *cassandra.Store, user blog.UserID, post blog.PostID, n int) (err error) {
	switch n % 6 {
	case 0:
		_, err = store.CreatePost(ctx, blog.CreatePost{Author: user, Title: "t", Content: "c"})
	case 1:
		var c blog.Comment
		if c, _, err = store.CreateComment(ctx, blog.CreateComment{Author: user, Post: post, Content: "c"}); err == nil && n%4 == 0 {
			_, err = store.DeleteComment(ctx, blog.DeleteComment{Actor: user, Key: c.Key()})
		}
	case 2, 3:
		_, _, err = store.LikePost(ctx, blog.LikePost{Actor: user, Post: post})
	default:
		_, err = store.UnlikePost(ctx, blog.UnlikePost{Actor: user, Post: post})
	}
	return err
}
