package cassandra_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
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

var feedEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestWholeFeed(t *testing.T) {
	t.Parallel()
	inTurn := testkeyspace.InTurn(t)
	inTurn("statements of the feed", testFeedStatements)
	inTurn("layouts of the feed", testFeedLayouts)
	inTurn("layouts of the feed at once", testFeedLayoutsAtOnce)
	inTurn("many names of the feed's buckets", testManyFeedBuckets)
	inTurn("a feed of an older program", testFeedOfAnOlderProgram)
}

// A page of the feed reads names of buckets, a slice at a time, and each bucket and shard that
// it spans, a hundred posts or one.
func testFeedStatements(t *testing.T, config cassandra.Config) {
	for _, c := range []struct {
		name     string
		shards   int
		posts    int // in each bucket
		buckets  int // that stand
		limit    int // of the page
		backward bool
		want     int // reads of feed_by_bucket
		names    int // reads of feed_buckets
	}{
		{"a busy feed: one bucket", 1, 101, 2, 100, false, 1, 1},
		{"its shards", 3, 101, 2, 100, false, 3, 1},
		{"a page that spans two buckets, read as one and two", 1, 60, 4, 100, false, 3, 1},
		{"from its oldest end", 1, 101, 2, 100, true, 1, 1},
		{"a quiet feed: every bucket", 1, 1, 20, 100, false, 20, 2},
		{"a quiet feed, a short page: one and two and four", 1, 1, 20, 5, false, 7, 1},
		{"an empty feed", 1, 0, 0, 100, false, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var made recorder
			clock := storetest.NewClock(feedEpoch)
			store := emptyFeed(t, config, time.Hour, c.shards, blog.Options{Observer: &made, Clock: clock})
			author := testkeyspace.NewUser(t, store)
			for range c.buckets {
				newPosts(t, store, author, c.posts)
				clock.Advance(time.Hour)
			}
			must(t, store.Settle(t.Context()))
			var page blog.Page[blog.Post]
			got := made.during(t, func() (err error) {
				page, err = store.Feed(t.Context(), blog.PageRequest[blog.PostID]{Limit: c.limit, Backward: c.backward})
				return err
			})
			want := slices.Concat(slices.Repeat([]blog.Table{blog.FeedBuckets}, c.names), slices.Repeat([]blog.Table{blog.FeedByBucket}, c.want))
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("read %v, want %d buckets and %d slices of their names", got, c.want, c.names)
			}
			if rows := min(c.limit, c.posts*c.buckets); len(page.Items) != rows {
				t.Errorf("%d posts, want %d", len(page.Items), rows)
			}
		})
	}
}

// Posts that were written under several widths and numbers of shards make one list.
func testFeedLayouts(t *testing.T, config cassandra.Config) {
	clock := storetest.NewClock(feedEpoch)
	ids := blog.NewIDs(clock, storetest.Random(1))
	first := emptyFeed(t, config, time.Hour, 1, blog.Options{Clock: clock, IDs: ids})
	author := testkeyspace.NewUser(t, first)
	stores := []*cassandra.Store{first}
	for _, layout := range []struct {
		width  time.Duration
		shards int
	}{{3 * time.Hour, 4}, {30 * time.Minute, 2}, {24 * time.Hour, 1}, {7 * time.Hour, 3}} {
		c := config
		c.FeedBucketWidth, c.FeedShards = layout.width, layout.shards
		stores = append(stores, testkeyspace.Open(t, c, blog.Options{Clock: clock, IDs: ids}))
	}
	var all []blog.PostID // oldest first
	for range 120 {
		clock.Advance(time.Duration(rand.ExpFloat64() * float64(90*time.Minute)))
		all = append(all, testkeyspace.NewPost(t, stores[rand.IntN(len(stores))], author).ID)
	}
	slices.Reverse(all)
	for range 150 {
		request := blog.PageRequest[blog.PostID]{Limit: 1 + rand.IntN(40), Backward: rand.IntN(2) == 0}
		from, to := -1, len(all)
		if rand.IntN(2) == 0 {
			from = rand.IntN(len(all))
			request.After = &all[from]
		}
		if rand.IntN(2) == 0 {
			to = rand.IntN(len(all))
			request.Before = &all[to]
		}
		want := all[from+1 : max(from+1, to)]
		more := len(want) > request.Limit
		if request.Backward {
			want = want[max(0, len(want)-request.Limit):]
		} else {
			want = want[:min(len(want), request.Limit)]
		}
		page, err := stores[rand.IntN(len(stores))].Feed(t.Context(), request)
		must(t, err)
		got := make([]blog.PostID, len(page.Items))
		for i, p := range page.Items {
			got[i] = p.ID
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d posts between %d and %d, backward %v: got %v, want %v", request.Limit, from, to, request.Backward, got, want)
		}
		if has := page.HasNext; !request.Backward && has != more {
			t.Fatalf("HasNext is %v", has)
		}
	}
}

// The index of a feed names 50,000 buckets, and its width was made smaller an hour ago, in the
// midst of a week: a page reads a slice of the index, the bucket of the hour and that of the
// week, wherever it begins.
func testManyFeedBuckets(t *testing.T, config cassandra.Config) {
	var made recorder
	clock := storetest.NewClock(feedEpoch.Add(36 * time.Hour))
	ids := blog.NewIDs(clock, storetest.Random(storetest.Seed(t)))
	options := blog.Options{Observer: &made, Clock: clock, IDs: ids}
	weeks := emptyFeed(t, config, 168*time.Hour, 1, options)
	nameHours(t, config, 50_000)
	config.FeedBucketWidth = time.Hour
	hours := testkeyspace.Open(t, config, options)
	author := testkeyspace.NewUser(t, weeks)
	var all []blog.PostID // oldest first
	for i := range 80 {
		server := weeks
		if i >= 40 {
			server = hours
		}
		all = append(all, testkeyspace.NewPost(t, server, author).ID)
		clock.Advance(75 * time.Second)
	}
	for _, server := range []*cassandra.Store{weeks, hours} {
		must(t, server.Settle(t.Context()))
	}
	for _, server := range []*cassandra.Store{weeks, hours} {
		for i := 0; i < len(all)-20; i += 3 {
			for from, request := range map[blog.PostID]blog.PageRequest[blog.PostID]{
				all[i]:          {Limit: 10, Before: &all[i], Backward: true},
				all[i+20]:       {Limit: 10, After: &all[i+20]},
				all[len(all)-1]: {Limit: 10},
			} {
				var page blog.Page[blog.Post]
				read := made.during(t, func() (err error) { page, err = server.Feed(t.Context(), request); return err })
				if len(page.Items) != 10 {
					t.Fatalf("%+v: %d posts", request, len(page.Items))
				}
				hour := func(post blog.PostID) time.Time { return post.Time().Truncate(time.Hour) }
				oneHour := hour(page.Items[0].ID).Equal(hour(from)) && hour(page.Items[9].ID).Equal(hour(from))
				if len(read) > 3 && oneHour {
					t.Fatalf("%+v: read %v", request, read)
				}
			}
		}
	}
}

// nameHours makes the index name so many buckets of an hour before the feed's epoch.
func nameHours(t *testing.T, config cassandra.Config, n int) {
	testkeyspace.Execute(t, config, "UPDATE %s.feed_buckets SET layouts = layouts + {'1h0m0s/1'} WHERE feed = 0")
	var names [][]any
	for hour := range n {
		end := feedEpoch.Add(-time.Duration(hour) * time.Hour)
		start := end.Add(-time.Hour)
		names = append(names, []any{end, start.Format("2006-01-02T15:04Z") + "+1h0m0s", start})
	}
	testkeyspace.Insert(t, config, "INSERT INTO %s.feed_buckets (feed, ends_at, bucket, shard, starts_at) VALUES (0, ?, ?, 0, ?)", names)
}

// An index without layouts is one that an older program wrote: the first server that needs
// them finds them in the names, before it adds its own.
func testFeedOfAnOlderProgram(t *testing.T, config cassandra.Config) {
	testkeyspace.Emptied(t, config)
	clock := storetest.NewClock(feedEpoch)
	options := blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(storetest.Seed(t)))}
	old := emptyFeed(t, config, 168*time.Hour, 2, options)
	author := testkeyspace.NewUser(t, old)
	var all []blog.PostID // oldest first
	write := func(server *cassandra.Store, n int) {
		for range n {
			all = append(all, testkeyspace.NewPost(t, server, author).ID)
			clock.Advance(10 * time.Minute)
		}
	}
	write(old, 20)
	must(t, old.Settle(t.Context()))
	layouts := func() string {
		return fmt.Sprint(testkeyspace.Rows(t, config, "SELECT DISTINCT feed, layouts FROM %s.feed_buckets")[0]["layouts"])
	}
	for name, first := range map[string]func(*cassandra.Store){
		"a page":  func(s *cassandra.Store) { wantPage(t, s, all, len(all)-3, 10) },
		"a post":  func(s *cassandra.Store) { write(s, 1) },
		"a cycle": func(s *cassandra.Store) { wholeFeed(t, s, false) },
	} {
		testkeyspace.Execute(t, config, "DELETE layouts FROM %s.feed_buckets WHERE feed = 0")
		c := config
		c.FeedBucketWidth, c.FeedShards = time.Hour, 1
		server := testkeyspace.Open(t, c, options)
		first(server)
		if got := layouts(); !strings.Contains(got, "168h0m0s/2") {
			t.Errorf("after %s the index has the layouts %s", name, got)
		}
		write(server, 9)
		if got := layouts(); !strings.Contains(got, "168h0m0s/2") || !strings.Contains(got, "1h0m0s/1") {
			t.Errorf("after %s and posts the index has the layouts %s", name, got)
		}
		for i := range all {
			wantPage(t, server, all, i, 7)
		}
	}
	if found, err := (audit.Verifying{}).Run(t.Context(), old); err != nil || found.Drifted() > 0 {
		t.Errorf("drift: %+v, %v", found, err)
	}
	testkeyspace.Execute(t, config, "UPDATE %s.feed_buckets SET layouts = layouts - {'168h0m0s/2'} WHERE feed = 0")
	if found, err := (audit.Verifying{Repair: true}).Run(t.Context(), old); err != nil || found.Repaired() == 0 || found.Left() > 0 || !strings.Contains(layouts(), "168h0m0s/") {
		t.Errorf("repaired, it is %+v, with the layouts %s", found, layouts())
	}
}

// wantPage asks for the posts after one of all, which are in order from the oldest.
func wantPage(t *testing.T, server *cassandra.Store, all []blog.PostID, i, limit int) {
	t.Helper()
	page, err := server.Feed(t.Context(), blog.PageRequest[blog.PostID]{Limit: limit, After: &all[i]})
	must(t, err)
	want := slices.Clone(all[max(0, i-limit):i])
	slices.Reverse(want)
	got := []blog.PostID{}
	for _, p := range page.Items {
		got = append(got, p.ID)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("after post %d of %d: got %v, want %v", i, len(all), got, want)
	}
}

// While servers change over from one width and number of shards to another, some write
// by the one and some by the other. Every post is in the feed once, at every moment, and
// what the servers write about each other's posts reaches them.
func testFeedLayoutsAtOnce(t *testing.T, config cassandra.Config) {
	testkeyspace.Emptied(t, config)
	clock := storetest.NewClock(feedEpoch)
	old := emptyFeed(t, config, time.Hour, 1, blog.Options{Clock: clock})
	config.FeedBucketWidth, config.FeedShards = 3*time.Hour, 3
	servers := []*cassandra.Store{old, testkeyspace.Open(t, config, blog.Options{Clock: clock})}
	author, reader := testkeyspace.NewUser(t, old), testkeyspace.NewUser(t, old)
	f := &changingFeed{author: author.ID, reader: reader.ID, posts: map[blog.PostID]blog.Post{}}

	var writers, readers sync.WaitGroup
	written := make(chan struct{})
	for i := range 4 {
		writers.Go(func() {
			for n := range 24 {
				clock.Advance(time.Duration(n%5) * 7 * time.Minute)
				if err := f.write(t.Context(), servers[i%2], servers[(i+1)%2], n); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i, server := range servers {
		readers.Go(func() {
			for ended := false; !ended && !t.Failed(); {
				select {
				case <-written:
					ended = true // once more, of all
				default:
				}
				f.check(t, server, i == 0)
			}
		})
	}
	writers.Wait()
	for _, server := range servers {
		must(t, server.Settle(t.Context()))
	}
	close(written)
	readers.Wait()
	for _, server := range servers {
		for _, p := range wholeFeed(t, server, false) {
			if want := f.posts[p.ID]; p.Title != want.Title || p.Likes.N != want.Likes.N {
				t.Errorf("%v is %q with %d likes, want %q with %d", p.ID, p.Title, p.Likes.N, want.Title, want.Likes.N)
			}
		}
	}
	if places := len(testkeyspace.Rows(t, config, "SELECT bucket FROM %s.feed_buckets")); places < 8 {
		t.Errorf("the feed has %d buckets and shards, want those of both layouts", places)
	}
	if found, err := (audit.Verifying{}).Run(t.Context(), old); err != nil || found.Drifted() > 0 {
		t.Errorf("drift: %+v, %v", found, err)
	}
}

// changingFeed is what is known of a feed that is being written.
type changingFeed struct {
	author, reader blog.UserID

	mu    sync.Mutex
	posts map[blog.PostID]blog.Post // that stand for sure: acknowledged, and not about to be deleted
}

// write makes a post by one server, and edits, likes or deletes it by another.
func (f *changingFeed) write(ctx context.Context, one, other *cassandra.Store, n int) error {
	p, err := one.CreatePost(ctx, blog.CreatePost{Author: f.author, Title: "new", Content: "c"})
	if err != nil {
		return err
	}
	if n%3 == 0 {
		p.Title = "edited"
		_, err = other.UpdatePost(ctx, blog.UpdatePost{Actor: f.author, Post: p.ID, Title: blog.SetTo("edited")})
	}
	if err == nil && n%4 == 0 {
		p.Likes.N = 1
		_, _, err = other.LikePost(ctx, blog.LikePost{Actor: f.reader, Post: p.ID})
	}
	if err == nil && n%5 == 0 {
		return other.DeletePost(ctx, blog.DeletePost{Actor: f.author, Post: p.ID})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posts[p.ID] = p
	return err
}

// check pages through the whole feed: no post is met twice, and every one that stood
// before is met.
func (f *changingFeed) check(t *testing.T, server *cassandra.Store, backward bool) {
	f.mu.Lock()
	standing := slices.Collect(maps.Keys(f.posts))
	f.mu.Unlock()
	seen := map[blog.PostID]bool{}
	for _, p := range wholeFeed(t, server, backward) {
		if seen[p.ID] {
			t.Errorf("%v is met twice", p.ID)
		}
		seen[p.ID] = true
	}
	for _, post := range standing {
		if !seen[post] {
			t.Errorf("of %d posts, %v of %v is not met", len(standing), post, post.Time())
		}
	}
}

// wholeFeed pages through the feed in one direction, and checks the order.
func wholeFeed(t *testing.T, server *cassandra.Store, backward bool) (posts []blog.Post) {
	request := blog.PageRequest[blog.PostID]{Limit: 7, Backward: backward}
	for {
		page, err := server.Feed(t.Context(), request)
		if err != nil {
			t.Error(err)
			return posts
		}
		if !slices.IsSortedFunc(page.Items, func(a, b blog.Post) int { return b.ID.Compare(a.ID.UUID) }) {
			t.Error("a page is not in order")
		}
		posts = append(posts, page.Items...)
		switch {
		case backward && page.HasPrevious:
			request.Before = &page.Items[0].ID
		case !backward && page.HasNext:
			request.After = &page.Items[len(page.Items)-1].ID
		default:
			return posts
		}
	}
}

// A page whose second bucket takes longer than there is time ends with the first, and
// goes on from there. The store's clock is still; the time is the machine's, and of the time for the
// answer, behind that for reading, a machine that is busy may take as much as it likes.
func TestShortFeed(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	clock, slow := storetest.NewClock(feedEpoch), &slowFeed{}
	store := emptyFeed(t, config, 24*time.Hour, 1, blog.Options{Clock: clock, Observer: slow})
	author := testkeyspace.NewUser(t, store)
	var all []blog.PostID
	for range 6 {
		clock.Advance(12 * time.Hour)
		all = append(all, testkeyspace.NewPost(t, store, author).ID)
	}
	slices.Reverse(all)
	for _, backward := range []bool{false, true} {
		slow.on.Store(true)
		page, err := store.Feed(answeredBy{t.Context(), time.Now().Add(6 * time.Second)}, blog.PageRequest[blog.PostID]{Limit: 4, Backward: backward})
		slow.on.Store(false)
		must(t, err)
		if n := len(page.Items); n == 0 || n >= 4 || page.HasNext == backward || page.HasPrevious != backward {
			t.Fatalf("backward %v: %d rows, next %v, previous %v", backward, n, page.HasNext, page.HasPrevious)
		}
		rest := blog.PageRequest[blog.PostID]{Limit: 10, Backward: backward}
		if backward {
			rest.Before = &page.Items[0].ID
		} else {
			rest.After = &page.Items[len(page.Items)-1].ID
		}
		others, err := store.Feed(t.Context(), rest)
		must(t, err)
		items := slices.Concat(page.Items, others.Items)
		if backward {
			items = slices.Concat(others.Items, page.Items)
		}
		var met []blog.PostID
		for _, p := range items {
			met = append(met, p.ID)
		}
		if !slices.Equal(met, all) {
			t.Errorf("backward %v: %v are met, not %v", backward, met, all)
		}
	}
}

// answeredBy is a context that says when it ends, and does not.
type answeredBy struct {
	context.Context
	deadline time.Time
}

func (c answeredBy) Deadline() (time.Time, bool) { return c.deadline, true }

// slowFeed makes reads of the feed last until the time for reading is over.
type slowFeed struct{ on atomic.Bool }

func (s *slowFeed) Statement(ctx context.Context, st blog.Statement) {
	if s.on.Load() && st.Table == blog.FeedByBucket && st.Kind == blog.Read && st.Err == nil {
		<-ctx.Done()
	}
}

// emptyFeed opens a store on a feed that was emptied.
func emptyFeed(t *testing.T, config cassandra.Config, width time.Duration, shards int, options blog.Options) *cassandra.Store {
	t.Helper()
	testkeyspace.Execute(t, config, "TRUNCATE %s.feed_by_bucket", "TRUNCATE %s.feed_buckets")
	config.FeedBucketWidth, config.FeedShards = width, shards
	return testkeyspace.Open(t, config, options)
}
