package cassandra_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/testkeyspace"
)

// writers is how many clients write to a hot post.
const writers = 64

func newUsers(t testing.TB, store *cassandra.Store, n int) []blog.User {
	t.Helper()
	users := make([]blog.User, n)
	var made sync.WaitGroup
	for i := range users {
		made.Go(func() { users[i] = testkeyspace.NewUser(t, store) })
	}
	made.Wait()
	return users
}

// every runs do for each of some users at once.
func every(users []blog.User, do func(i int, user blog.User)) {
	var all sync.WaitGroup
	for i, user := range users {
		all.Go(func() { do(i, user) })
	}
	all.Wait()
}

// Each of many commenters at once is told its own count: together 1, 2, 3 … and the
// copies hold the last. So are those who like and unlike.
func TestOwnCountsInBatches(t *testing.T) {
	t.Parallel()
	store := open(t, blog.Options{})
	ctx := t.Context()
	users := newUsers(t, store, writers)
	post := testkeyspace.NewPost(t, store, users[0])
	const rounds = 3
	counts := make([]int, writers*rounds)
	likes := make([]int, writers)
	every(users, func(i int, user blog.User) {
		for round := range rounds {
			_, count, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
			if err != nil {
				t.Error(err)
			}
			counts[i*rounds+round] = count.N
		}
		_, count, err := store.LikePost(ctx, blog.LikePost{Actor: user.ID, Post: post.ID})
		if err != nil {
			t.Error(err)
		}
		likes[i] = count.N
	})
	consecutive(t, "comments", counts)
	consecutive(t, "likes", likes)
	must(t, store.Settle(ctx))
	checkCounts(t, store, post.ID, writers*rounds, writers)

	unlikes := make([]int, writers)
	every(users, func(i int, user blog.User) {
		count, err := store.UnlikePost(ctx, blog.UnlikePost{Actor: user.ID, Post: post.ID})
		if err != nil {
			t.Error(err)
		}
		unlikes[i] = count.N + 1
	})
	consecutive(t, "unlikes", unlikes)
	must(t, store.Settle(ctx))
	checkCounts(t, store, post.ID, writers*rounds, 0)
}

// consecutive checks that counts are 1, 2, 3 … in some order.
func consecutive(t *testing.T, what string, counts []int) {
	t.Helper()
	slices.Sort(counts)
	for i, n := range counts {
		if n != i+1 {
			t.Fatalf("%s: the counts told are %v", what, counts)
		}
	}
}

// checkCounts compares every copy of a post's counts, and its rows, with what they
// shall be.
func checkCounts(t *testing.T, store *cassandra.Store, post blog.PostID, comments, likes int) {
	t.Helper()
	ctx := t.Context()
	p, err := store.PostByID(ctx, post)
	must(t, err)
	listed, err := store.PostsByAuthor(ctx, p.Author.ID, blog.FirstPage[blog.PostID](100))
	must(t, err)
	if at := slices.IndexFunc(listed.Items, func(p blog.Post) bool { return p.ID == post }); at >= 0 {
		if l := listed.Items[at]; l.Comments.N != comments || l.Likes.N != likes {
			t.Errorf("listed with %d comments and %d likes, want %d and %d", l.Comments.N, l.Likes.N, comments, likes)
		}
	}
	if p.Comments.N != comments || p.Likes.N != likes {
		t.Errorf("the post has %d comments and %d likes, want %d and %d", p.Comments.N, p.Likes.N, comments, likes)
	}
	if n := commentRows(t, store, post); n != comments {
		t.Errorf("there are %d comments, want %d", n, comments)
	}
}

func commentRows(t *testing.T, store *cassandra.Store, post blog.PostID) (n int) {
	t.Helper()
	page := blog.FirstPage[blog.CommentID](blog.MaxPage)
	for {
		read, err := store.CommentsByPost(t.Context(), blog.CommentsQuery{Post: post, Page: page})
		must(t, err)
		n += len(read.Items)
		if !read.HasNext {
			return n
		}
		last := read.Items[len(read.Items)-1].ID
		page.After = &last
	}
}

// Everything that can happen to a hot post, at once, from two servers: nothing is lost,
// nothing counted twice, no copy differs from its truth.
func TestMixedChangesOfAHotPost(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	mixedChanges(t, testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{}))
}

// The same where most answers to conditional batches are lost, some of batches that are
// applied later: each command still has its one result.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	servers := []*cassandra.Store{testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})}
	lost := servers[0].LoseAnswers()
	mixedChanges(t, servers...)
	if lost.Load() == 0 {
		t.Error("no answer was lost")
	}
}

func mixedChanges(t *testing.T, servers ...*cassandra.Store) {
	t.Helper()
	ctx := t.Context()
	users := newUsers(t, servers[0], 24)
	post := testkeyspace.NewPost(t, servers[0], users[0])
	var mu sync.Mutex
	comments, likes := 0, 0
	count := func(c, l int) {
		mu.Lock()
		defer mu.Unlock()
		comments += c
		likes += l
	}
	every(users, func(i int, user blog.User) {
		for round := range 6 {
			store := servers[(i+round)%len(servers)]
			comment, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
			if err != nil {
				t.Error(err)
				return
			}
			count(1, 0)
			var all sync.WaitGroup
			edits := make([]blog.Comment, 3)
			for e := range edits {
				all.Go(func() {
					var err error
					edits[e], err = servers[e%2].UpdateComment(ctx, blog.UpdateComment{Actor: user.ID, Key: comment.Key(), Content: fmt.Sprint("edit ", e)})
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Go(func() {
				if _, _, err := store.LikePost(ctx, blog.LikePost{Actor: user.ID, Post: post.ID}); err != nil {
					t.Error(err)
				}
			})
			all.Wait()
			versions := []int{edits[0].Version, edits[1].Version, edits[2].Version}
			slices.Sort(versions)
			if !slices.Equal(versions, []int{2, 3, 4}) {
				t.Errorf("three edits made the versions %v", versions)
			}
			if round%2 == 0 {
				if _, err := store.DeleteComment(ctx, blog.DeleteComment{Actor: user.ID, Key: comment.Key()}); err != nil {
					t.Error(err)
				}
				count(-1, 0)
			}
			if round != 5 || i%2 == 0 {
				if _, err := store.UnlikePost(ctx, blog.UnlikePost{Actor: user.ID, Post: post.ID}); err != nil {
					t.Error(err)
				}
			} else {
				count(0, 1)
			}
		}
	})
	for _, server := range servers {
		must(t, server.Settle(ctx))
	}
	checkCounts(t, servers[0], post.ID, comments, likes)
	if found := testkeyspace.Drifted(t, servers[0]); len(found) > 0 {
		t.Errorf("there is drift in %v", found)
	}
}

// A batch is split by its size: comments of 40,000 bytes, three of which fit in one.
func TestBatchesOfChangesAreSplitBySize(t *testing.T) {
	t.Parallel()
	made := recorder{}
	store := open(t, blog.Options{Observer: &made})
	users := newUsers(t, store, 16)
	post := testkeyspace.NewPost(t, store, users[0])
	content := strings.Repeat("\U0001F9ED", 10_000)
	counts := make([]int, len(users))
	every(users, func(i int, user blog.User) {
		_, count, err := store.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: content})
		if err != nil {
			t.Error(err)
		}
		counts[i] = count.N
	})
	consecutive(t, "comments", counts)
	for _, s := range made.take() {
		if s.Kind == blog.Conditional && s.Table == blog.CommentsByPost && s.Rows > 1+3 {
			t.Errorf("a batch held %d entries", s.Rows)
		}
	}
}

// One command that can't be carried out does not hold up the others of its batch.
func TestRefusedChangesOfABatch(t *testing.T) {
	t.Parallel()
	store := open(t, blog.Options{})
	ctx := t.Context()
	users := newUsers(t, store, writers)
	post := testkeyspace.NewPost(t, store, users[0])
	own := make([]blog.Comment, writers)
	every(users, func(i int, user blog.User) {
		var err error
		if own[i], _, err = store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"}); err != nil {
			t.Error(err)
		}
	})
	// Each comment is edited twice at once by whoever expects its first version, and
	// each key is used twice at once.
	conflicts := make([]int, writers)
	every(users, func(i int, user blog.User) {
		var all sync.WaitGroup
		var mu sync.Mutex
		var ids []blog.CommentID
		for range 2 {
			all.Go(func() {
				_, err := store.UpdateComment(ctx, blog.UpdateComment{Actor: user.ID, Key: own[i].Key(), Content: "edit" + fmt.Sprint(time.Now().UnixNano()), ExpectedVersion: new(1)})
				if err != nil && blog.KindOf(err) == blog.VersionConflict {
					mu.Lock()
					conflicts[i]++
					mu.Unlock()
				} else if err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				c, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "once", IdempotencyKey: new("k")})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				ids = append(ids, c.ID)
				mu.Unlock()
			})
		}
		all.Wait()
		if len(ids) == 2 && ids[0] != ids[1] {
			t.Errorf("one key made the comments %v and %v", ids[0], ids[1])
		}
	})
	for i, n := range conflicts {
		if n != 1 {
			t.Errorf("of two edits that expected version 1 of comment %d, %d were refused", i, n)
		}
	}
	must(t, store.Settle(ctx))
	checkCounts(t, store, post.ID, 2*writers, 0)
}

// A post takes so many commands at once; the next are told to come again, and nothing
// is left of them.
func TestCrowdedPost(t *testing.T) {
	t.Parallel()
	store := open(t, blog.Options{})
	user := testkeyspace.NewUser(t, store)
	post := testkeyspace.NewPost(t, store, user)
	const asked = 1500
	var mu sync.Mutex
	made, refused := 0, 0
	start := make(chan struct{})
	var all sync.WaitGroup
	for range asked {
		all.Go(func() {
			<-start
			_, _, err := store.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				made++
			case blog.KindOf(err) == blog.Unavailable && strings.Contains(err.Error(), "try again"):
				refused++
			default:
				t.Error(err)
			}
		})
	}
	close(start)
	all.Wait()
	if made < 1024 || refused == 0 {
		t.Errorf("%d made and %d refused of %d", made, refused, asked)
	}
	must(t, store.Settle(t.Context()))
	checkCounts(t, store, post.ID, made, 0)
}

// A command whose time is over leaves its queue; those behind it are served, and what it
// may have left is found by recovery. The leader of the queue may still be at work on it: it shares
// nothing with what the command answers, which the race detector sees.
func TestCommandsThatLeaveTheQueue(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	users := newUsers(t, store, writers)
	post := testkeyspace.NewPost(t, store, users[0])
	made := make([]blog.Comment, writers)
	// short runs a command of each user, of whom every other one has little time for it.
	short := func(command func(ctx context.Context, i int, user blog.User) error) {
		every(users, func(i int, user blog.User) {
			ctx := t.Context()
			if i%2 == 0 {
				left, cancel := context.WithTimeout(ctx, time.Duration(i+1)*500*time.Microsecond)
				defer cancel()
				ctx = left
			}
			err := command(ctx, i, user)
			if err != nil && (i%2 == 1 || blog.KindOf(err) != blog.Timeout && blog.KindOf(err) != blog.Unavailable) {
				t.Error(err)
			}
		})
	}
	short(func(ctx context.Context, i int, user blog.User) (err error) {
		comment, _, err := store.CreateComment(ctx, blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
		if err == nil {
			made[i] = comment
		}
		return err
	})
	short(func(ctx context.Context, _ int, user blog.User) error {
		_, _, err := store.LikePost(ctx, blog.LikePost{Actor: user.ID, Post: post.ID})
		return err
	})
	short(func(ctx context.Context, i int, user blog.User) error {
		if made[i].ID.IsZero() {
			return nil
		}
		_, err := store.UpdateComment(ctx, blog.UpdateComment{Actor: user.ID, Key: made[i].Key(), Content: "d"})
		return err
	})
	short(func(ctx context.Context, _ int, user blog.User) error {
		_, err := store.UnlikePost(ctx, blog.UnlikePost{Actor: user.ID, Post: post.ID})
		return err
	})
	deleted := make([]bool, writers) // or perhaps so
	short(func(ctx context.Context, i int, user blog.User) error {
		if i%4 > 1 || made[i].ID.IsZero() {
			return nil
		}
		deleted[i] = true
		_, err := store.DeleteComment(ctx, blog.DeleteComment{Actor: user.ID, Key: made[i].Key()})
		return err
	})
	must(t, store.Settle(t.Context()))
	must(t, recovered(t.Context(), longAgo(t, config, time.Minute)))
	if found := testkeyspace.Drifted(t, store); len(found) > 0 {
		t.Errorf("there is drift in %v", found)
	}
	acknowledged := 0
	for i, comment := range made {
		if !comment.ID.IsZero() && !deleted[i] {
			acknowledged++
		}
	}
	if n := commentRows(t, store, post.ID); n < acknowledged {
		t.Errorf("%d comments stand of %d that were acknowledged", n, acknowledged)
	}
}
