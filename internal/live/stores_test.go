package live_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/live"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

var keyspace testkeyspace.Shared

func TestMain(m *testing.M) { os.Exit(keyspace.Main(m)) }

// onStores runs a test on two servers of each store. The embedded one is one process' own, so that
// there two hubs have one store.
func onStores(t *testing.T, config live.Config, test func(t *testing.T, stores []blog.Store, hubs []*live.Hub)) {
	for name, open := range map[string]func(*testing.T) []blog.Store{
		"embedded": func(t *testing.T) []blog.Store {
			store := ok(embedded.InMemory(embedded.Options{}))(t)
			t.Cleanup(func() { _ = store.Close() })
			return []blog.Store{store, store}
		},
		"cassandra": func(t *testing.T) []blog.Store {
			c := testkeyspace.New(t)
			return []blog.Store{testkeyspace.Open(t, c, blog.Options{}), testkeyspace.Open(t, c, blog.Options{})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			stores := open(t)
			var hubs []*live.Hub
			for _, store := range stores {
				config.Store, config.Log = store, slog.New(slog.NewTextHandler(io.Discard, nil))
				hub := live.New(config)
				t.Cleanup(hub.Stop)
				hubs = append(hubs, hub)
			}
			test(t, stores, hubs)
		})
	}
}

// writers make posts, and comments on one post, through several servers at once.
type writers struct {
	t       *testing.T
	stores  []blog.Store
	authors []blog.UserID
	post    blog.PostID
	all     sync.WaitGroup
	over    chan struct{}

	mu       sync.Mutex
	posts    map[blog.PostID]bool
	comments map[blog.CommentID]bool
}

func newWriters(t *testing.T, stores []blog.Store) *writers {
	w := &writers{t: t, stores: stores, over: make(chan struct{}), posts: map[blog.PostID]bool{}, comments: map[blog.CommentID]bool{}}
	for i := range 4 {
		name := fmt.Sprintf("writer_%d", i)
		u := ok(stores[0].CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name}))(t)
		w.authors = append(w.authors, u.ID)
	}
	p := ok(stores[0].CreatePost(t.Context(), blog.CreatePost{Author: w.authors[0], Title: "A post", Content: "Text."}))(t)
	w.post = p.ID
	return w
}

// start has each writer make so many of each, or go on until the writers are told to stop.
func (w *writers) start(each int) {
	for i, author := range w.authors {
		store := w.stores[i%len(w.stores)]
		w.all.Go(func() {
			for n := 0; each == 0 || n < each; n++ {
				select {
				case <-w.over:
					return
				default:
					w.step(store, author)
				}
			}
		})
	}
}

func (w *writers) step(store blog.Store, author blog.UserID) {
	p, err := store.CreatePost(context.Background(), blog.CreatePost{Author: author, Title: "A post", Content: "Text."})
	if err != nil {
		w.t.Error(err)
		return
	}
	c, _, err := store.CreateComment(context.Background(), blog.CreateComment{Author: author, Post: w.post, Content: "A comment."})
	if err != nil {
		w.t.Error(err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.posts[p.ID], w.comments[c.ID] = true, true
}

func (w *writers) stop() {
	close(w.over)
	w.all.Wait()
}

// made returns what the writers were told is made.
func (w *writers) made() (posts, comments int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.posts), len(w.comments)
}

// told is what subscribers were told, in order.
type told struct {
	posts    []blog.PostID
	comments []blog.CommentID
	numbers  []int
}

// cuts is how often a subscriber loses its connection, and comes back to any server.
const cuts = 100

// Subscribers that are cut at random moments while posts and comments are made through two
// servers, and resumed on either, are told each once, and comments in the order in which they were
// made. What is there in the end is the judge.
func TestResumedOnAnyServer(t *testing.T) {
	onStores(t, live.Config{Window: 64, Backlog: 16}, func(t *testing.T, stores []blog.Store, hubs []*live.Hub) {
		seed := storetest.Seed(t)
		w := newWriters(t, stores)
		var subscribers sync.WaitGroup
		all := make([]told, 3)
		done := make(chan struct{})
		for i := range all {
			random := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
			at := ok(hubs[0].Position(t.Context()))(t)
			posts, comments := at.OfPosts(), at.OfComments(w.post, 0)
			subscribers.Go(func() {
				resume(t, random, hubs, &posts, done, func() bool { made, _ := w.made(); return len(all[i].posts) >= made }, func(ctx context.Context, hub *live.Hub, after *string) (func() (string, error), error) {
					s, err := hub.Posts(ctx, blog.PostCreated, after)
					return func() (string, error) {
						e, err := s.Next(ctx)
						if err == nil && e.PostID() != w.post { // of which its server may tell after the cursor was taken
							all[i].posts = append(all[i].posts, e.PostID())
						}
						return e.Cursor, err
					}, err
				})
			})
			another := rand.New(rand.NewPCG(uint64(seed), uint64(100+i)))
			subscribers.Go(func() {
				resume(t, another, hubs, &comments, done, func() bool { _, made := w.made(); return len(all[i].comments) >= made }, func(ctx context.Context, hub *live.Hub, after *string) (func() (string, error), error) {
					s, err := hub.CommentsCreated(ctx, w.post, after)
					return func() (string, error) {
						e, err := s.Next(ctx)
						if err == nil {
							all[i].comments, all[i].numbers = append(all[i].comments, e.CommentID()), append(all[i].numbers, e.Number())
						}
						return e.Cursor, err
					}, err
				})
			})
		}
		w.start(125)
		w.all.Wait()
		close(done)
		subscribers.Wait()
		for _, got := range all {
			w.judge(got)
		}
	})
}

// resume follows a stream through connections that end at random, and once the writers have ended
// until all was told.
func resume(t *testing.T, random *rand.Rand, hubs []*live.Hub, after *string, done chan struct{}, all func() bool,
	subscribe func(ctx context.Context, hub *live.Hub, after *string) (func() (string, error), error),
) {
	ended := func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	for n := 0; n < cuts || !ended() || !all(); n++ {
		ctx, cancel := context.WithTimeout(t.Context(), within(random, 60*time.Millisecond))
		next, err := subscribe(ctx, hubs[random.IntN(len(hubs))], after)
		for err == nil {
			var cursor string
			if cursor, err = next(); err == nil {
				*after = cursor
			}
		}
		if ctx.Err() == nil && err != live.ErrSlow {
			t.Error(err)
			n = cuts
			cancel()
			return
		}
		cancel()
	}
}

// judge compares what a subscriber was told with what was made.
func (w *writers) judge(got told) {
	w.t.Helper()
	seen := map[blog.PostID]int{}
	for _, id := range got.posts {
		seen[id]++
	}
	for id := range w.posts {
		if seen[id] != 1 {
			w.t.Errorf("post %v was told %d times", id, seen[id])
		}
	}
	if len(seen) != len(w.posts) {
		w.t.Errorf("%d posts were told, %d were made", len(seen), len(w.posts))
	}
	for i, number := range got.numbers {
		if number != i+1 || !w.comments[got.comments[i]] {
			w.t.Errorf("comment %d is told as the %d. one", number, i+1)
		}
	}
	if len(got.comments) != len(w.comments) {
		w.t.Errorf("%d comments were told, %d were made", len(got.comments), len(w.comments))
	}
	if page := ok(w.stores[0].CommentsByPost(w.t.Context(), blog.CommentsQuery{Post: w.post, Page: blog.FirstPage[blog.CommentID](1), Made: true}))(w.t); page.Made != len(got.comments) {
		w.t.Errorf("%d comments were told, the store has %d", len(got.comments), page.Made)
	}
}

// In 200 runs a list and the stream behind its live cursor have all that is made, wherever the list was read
// and the stream is begun, while writers run; and the stream has nothing twice.
func TestFromAListToItsStream(t *testing.T) {
	onStores(t, live.Config{}, func(t *testing.T, stores []blog.Store, hubs []*live.Hub) {
		w := newWriters(t, stores)
		w.start(0)
		defer w.stop()
		seed := storetest.Seed(t)
		var clients sync.WaitGroup
		defer clients.Wait()
		for i := range 10 {
			random := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
			clients.Go(func() {
				for range 20 {
					w.fromPosts(random, hubs)
					w.fromComments(random, hubs)
				}
			})
		}
	})
}

// mark makes a post and a comment after which a stream has had all that it is judged by.
func (w *writers) mark(random *rand.Rand) (blog.PostID, blog.CommentID) {
	store := w.stores[random.IntN(len(w.stores))]
	p := ok(store.CreatePost(w.t.Context(), blog.CreatePost{Author: w.authors[0], Title: "The last", Content: "Text."}))(w.t)
	c, _, err := store.CreateComment(w.t.Context(), blog.CreateComment{Author: w.authors[0], Post: w.post, Content: "The last."})
	ok(c, err)(w.t)
	return p.ID, c.ID
}

func (w *writers) fromPosts(random *rand.Rand, hubs []*live.Hub) {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	at := random.IntN(len(hubs))
	cursor := ok(hubs[at].Position(ctx))(w.t).OfPosts()
	page := ok(w.stores[at].Feed(ctx, blog.FirstPage[blog.PostID](blog.MaxPage)))(w.t)
	listed := map[blog.PostID]bool{}
	for _, p := range page.Items {
		listed[p.ID] = true
	}
	s := ok(hubs[random.IntN(len(hubs))].Posts(ctx, blog.PostCreated, &cursor))(w.t)
	last, _ := w.mark(random)
	told := map[blog.PostID]bool{}
	for !told[last] {
		id := ok(s.Next(ctx))(w.t).PostID()
		if told[id] {
			w.t.Errorf("post %v is told twice", id)
		}
		told[id] = true
	}
	oldest := page.Items[len(page.Items)-1].ID
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.posts {
		// Two servers' ids and logs have each an order, and none between them.
		if id.Compare(oldest.UUID) > 0 && id.Time().Before(last.Time().Add(-time.Second)) && !listed[id] && !told[id] {
			w.t.Errorf("post %v is neither in the list nor in the stream", id)
		}
	}
}

func (w *writers) fromComments(random *rand.Rand, hubs []*live.Hub) {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	at := random.IntN(len(hubs))
	live := ok(hubs[at].Position(ctx))(w.t)
	page := ok(w.stores[at].CommentsByPost(ctx, blog.CommentsQuery{Post: w.post, Page: blog.FirstPage[blog.CommentID](blog.MaxPage), Made: true}))(w.t)
	cursor := live.OfComments(w.post, page.Made)
	if page.Made != page.Count.N {
		w.t.Errorf("%d comments were made, and %d are there", page.Made, page.Count.N)
	}
	s := ok(hubs[random.IntN(len(hubs))].CommentsCreated(ctx, w.post, &cursor))(w.t)
	_, last := w.mark(random)
	for number := page.Made + 1; ; number++ {
		e := ok(s.Next(ctx))(w.t)
		if e.Number() != number {
			w.t.Errorf("comment %d is told as %d", e.Number(), number)
		}
		if slices.ContainsFunc(page.Items, func(c blog.Comment) bool { return c.ID == e.CommentID() }) {
			w.t.Errorf("comment %d is in the list and in the stream", number)
		}
		if e.CommentID() == last {
			return
		}
	}
}

// away is a store whose posts can't be read some times.
type away struct {
	blog.Store
	times atomic.Int32 // that reads will fail
}

func (a *away) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	if a.times.Add(-1) >= 0 {
		return blog.Post{}, blog.Errorf(blog.Unavailable, "away")
	}
	return a.Store.PostByID(ctx, id)
}

// A store that fails for a while ends no stream of a post's states, which goes on with the state that
// the post has by then.
func TestStatesGoOnBehindAFailure(t *testing.T) {
	onStores(t, live.Config{}, func(t *testing.T, stores []blog.Store, _ []*live.Hub) {
		failing := &away{Store: stores[0]}
		hub := live.New(live.Config{Store: failing})
		defer hub.Stop()
		w := newWriters(t, stores)
		states := ok(hub.PostChanges(t.Context(), w.post))(t)
		ok(states.Next(t.Context()))(t)
		for n := range 2 {
			failing.times.Store(3)
			_, _, err := stores[1].CreateComment(t.Context(), blog.CreateComment{Author: w.authors[0], Post: w.post, Content: "A comment."})
			if err != nil {
				t.Fatal(err)
			}
			for told := -1; told != n+1; { // other commands' changes may be told before
				told = ok(states.Next(t.Context()))(t).Post.Comments.N
			}
			if left := failing.times.Load(); left >= 0 {
				t.Errorf("%d reads were left to fail", left)
			}
		}
	})
}
