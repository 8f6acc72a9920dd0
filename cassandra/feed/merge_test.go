package feed

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/storetest"
)

// modelFeed is a feed in memory, with the index as it is read: in slices of some size, in
// the order of its table.
type modelFeed struct {
	newest Layouts
	stale  Layouts // what layouts knows
	index  []Bucket
	posts  map[blog.FeedPlace][]blog.Post // newest first
	all    []blog.PostID                  // newest first
	size   int                            // of a slice; 0: as a store's with three shards

	mu                sync.Mutex // buckets are read side by side
	names, partitions int        // that were read
	ends              *blog.UUID // where the last page does that was short
	deleted           bool       // some posts were
}

func (m *modelFeed) slice(_ context.Context, newestFirst bool, after, top time.Time, from []byte) (found slice, err error) {
	m.names++
	var names []Bucket
	for _, b := range m.index {
		if b.End.After(after) && !b.End.After(top) {
			names = append(names, b)
		}
	}
	if !newestFirst {
		slices.Reverse(names)
	}
	start := 0
	if from != nil {
		start = int(binary.BigEndian.Uint64(from))
	}
	end := min(start+cmp.Or(m.size, namesIn(3, start == 0)), len(names))
	found.buckets = slices.Clone(names[start:end])
	if end < len(names) {
		found.next = binary.BigEndian.AppendUint64(nil, uint64(end))
	}
	if len(found.buckets) > 0 {
		found.layouts = m.newest
	}
	return found, nil
}

func (m *modelFeed) read(_ context.Context, bucket blog.FeedPlace, from, to blog.UUID, newestFirst bool, wanted int) ([]blog.Post, error) {
	m.mu.Lock()
	m.partitions++
	m.mu.Unlock()
	var posts []blog.Post
	for _, p := range m.posts[bucket] {
		if p.ID.Compare(from) >= 0 && p.ID.Compare(to) < 0 {
			posts = append(posts, p)
		}
	}
	if !newestFirst {
		slices.Reverse(posts)
	}
	return posts[:min(wanted, len(posts))], nil
}

func (m *modelFeed) layouts(context.Context) (Layouts, error)       { return m.stale, nil }
func (m *modelFeed) newestLayouts(context.Context) (Layouts, error) { return m.newest, nil }

// write makes a post as a server of a layout does.
func (m *modelFeed) write(layout Layout, post blog.PostID) {
	b := layout.Place(post)
	m.newest.add(layout)
	if m.posts[b.FeedPlace] == nil {
		m.index = append(m.index, b)
	}
	m.posts[b.FeedPlace] = slices.Insert(m.posts[b.FeedPlace], 0, blog.Post{ID: post})
	m.all = slices.Insert(m.all, 0, post)
}

// sort puts the index into the order of its table.
func (m *modelFeed) sort() {
	slices.SortFunc(m.index, func(a, b Bucket) int {
		return cmp.Or(b.End.Compare(a.End), cmp.Compare(a.Bucket, b.Bucket), cmp.Compare(a.Shard, b.Shard))
	})
}

// page asks for one page, and returns what it holds, in the feed's order.
func (m *modelFeed) page(t *testing.T, request blog.PageRequest[blog.PostID]) ([]blog.PostID, bool) {
	t.Helper()
	m.names, m.partitions = 0, 0
	merging := merge{names: newNames(m, bounds(request), !request.Backward), read: m.read, wanted: request.Limit + 1}
	posts, ends, err := merging.page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.ends = ends
	ids := make([]blog.PostID, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	if request.Backward {
		slices.Reverse(ids)
	}
	return ids, ends == nil
}

// bounds returns the ids of a page, from one on, below another.
func bounds(request blog.PageRequest[blog.PostID]) span {
	keys := span{blog.UUID(cql.FirstID), blog.UUID(cql.LastID)}
	if request.Before != nil {
		keys.from = cql.After(request.Before.UUID)
	}
	if request.After != nil {
		keys.to = request.After.UUID
	}
	return keys
}

// want returns the same from the plain list of all posts.
func (m *modelFeed) want(request blog.PageRequest[blog.PostID]) []blog.PostID {
	var ids []blog.PostID
	for _, post := range m.all {
		if (request.After == nil || post.Compare(request.After.UUID) < 0) && (request.Before == nil || post.Compare(request.Before.UUID) > 0) {
			ids = append(ids, post)
		}
	}
	n := min(len(ids), request.Limit+1)
	if request.Backward {
		return ids[len(ids)-n:]
	}
	return ids[:n]
}

// delete takes some posts away, by their places in the feed's order.
func (m *modelFeed) delete(first, end int) {
	for place, posts := range m.posts {
		m.posts[place] = slices.DeleteFunc(posts, func(p blog.Post) bool { return slices.Contains(m.all[first:end], p.ID) })
	}
	m.all, m.deleted = slices.Delete(m.all, first, end), true
}

// next returns what asks for the page behind the last one, which was short.
func (m *modelFeed) next(request blog.PageRequest[blog.PostID]) blog.PageRequest[blog.PostID] {
	switch {
	case m.ends == nil:
	case request.Backward:
		request.Before = &blog.PostID{UUID: *m.ends}
	default:
		request.After = &blog.PostID{UUID: *m.ends}
	}
	return request
}

// needed returns how many partitions hold posts of the time of some posts.
func (m *modelFeed) needed(posts []blog.PostID) int {
	n := 0
	for _, b := range m.index {
		if len(posts) > 0 && b.End.After(posts[len(posts)-1].Time()) && !b.Start.After(posts[0].Time()) {
			n++
		}
	}
	return n
}

// shards returns how many partitions lie around one time.
func (m *modelFeed) shards() (n int) {
	for _, shards := range m.newest {
		n += shards
	}
	return n
}

// Whatever widths and shards the feed had, one after the other or several at once, whatever
// this server knows of them, and in slices of any size: each page in each direction between
// any two positions is what the plain list of all posts says.
func TestFeedOfManyLayouts(t *testing.T) {
	t.Parallel()
	seed := storetest.Seed(t)
	for round := range 25 {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		m, clock := randomFeed(random), storetest.NewClock(time.Time{})
		for range 60 {
			m.size = 0
			if random.IntN(2) == 0 {
				m.size = 1 + random.IntN(70)
			}
			request := randomPage(random, m, blog.NewIDs(clock, storetest.Random(seed, uint64(round))), clock)
			got, whole := m.page(t, request)
			want := m.want(request)
			if !whole {
				want = shortened(want, len(got), request.Backward)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("round %d: %+v in layouts %v: got %d posts, want %d:\n%v\n%v", round, request, m.newest.written(), len(got), len(want), got, want)
			}
			if !whole && m.partitions < maxBuckets {
				t.Fatalf("round %d: a page ends after %d posts and %d partitions", round, len(got), m.partitions)
			}
			if next := m.next(request); !whole && len(got) == 0 && !slices.Equal(m.want(next), m.want(request)) {
				t.Fatalf("round %d: between the pages %+v and %+v there are posts", round, request, next)
			}
			if most := 3 * (m.needed(want) + m.shards()); m.size == 0 && !m.deleted && m.partitions > most {
				t.Fatalf("round %d: %+v in layouts %v reads %d partitions, of which %d lie in the time of its posts", round, request, m.newest.written(), m.partitions, m.needed(want))
			}
		}
	}
}

// After a change of width, or of shards, in the midst of a bucket, of a feed with many names: a
// page that lies in one bucket of the new layout reads a slice of the index, that bucket, and
// the old one that reaches into it.
func TestAFreshChangeOfLayout(t *testing.T) {
	t.Parallel()
	const week, perHour, hours = 168 * time.Hour, 60, 1_000
	for _, c := range []struct {
		name      string
		old, next Layout
		most      int // partitions of a page in one bucket
	}{
		{"narrower", Layout{week, 1}, Layout{time.Hour, 1}, 2},
		{"wider", Layout{time.Hour, 1}, Layout{week, 1}, 2},
		{"more shards", Layout{week, 1}, Layout{week, 3}, 3},
		{"fewer shards", Layout{week, 3}, Layout{week, 1}, 3},
		{"narrower and more shards", Layout{week, 2}, Layout{time.Hour, 3}, 2 + 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &modelFeed{newest: Layouts{}, posts: map[blog.FeedPlace][]blog.Post{}}
			for hour := range hours {
				m.index = append(m.index, Layout{time.Hour, 1}.at(feedEpoch.Add(-time.Duration(hour+1)*time.Hour), 0))
			}
			m.newest.add(Layout{time.Hour, 1})
			clock := storetest.NewClock(feedEpoch)
			ids := blog.NewIDs(clock, storetest.Random(storetest.Seed(t)))
			for i := range 10 * perHour {
				layout := c.old
				if i >= 5*perHour {
					layout = c.next
				}
				m.write(layout, ids.Post())
				clock.Advance(time.Hour / perHour)
			}
			m.sort()
			m.stale = m.newest
			const limit = 20
			for i := -1; i < len(m.all)-limit-1; i += 7 { // older names have no posts any more
				for _, backward := range []bool{false, true} {
					request := blog.PageRequest[blog.PostID]{Limit: limit, Backward: backward}
					from := m.all[max(i, 0)]
					switch {
					case backward:
						request.Before = &from
					case i >= 0:
						request.After = &from
					}
					got, _ := m.page(t, request)
					if want := m.want(request); !slices.Equal(got, want) {
						t.Fatalf("%+v: got %v, want %v", request, got, want)
					}
					hour := func(post blog.PostID) time.Time { return post.Time().Truncate(time.Hour) }
					inOne := len(got) > limit && hour(got[0]).Equal(hour(got[limit])) && hour(got[0]).Equal(hour(from))
					if m.names > 1 || inOne && m.partitions > c.most {
						t.Fatalf("post %d, backward %v: %d slices of the index and %d partitions, want 1 and %d", i, backward, m.names, m.partitions, c.most)
					}
				}
			}
		})
	}
}

// A page between two times reads the buckets between them, however many lie before and behind.
func TestAPageBetweenTwoTimesReadsNoBucketBeyond(t *testing.T) {
	t.Parallel()
	m, clock := &modelFeed{newest: Layouts{}, posts: map[blog.FeedPlace][]blog.Post{}}, storetest.NewClock(feedEpoch)
	ids := blog.NewIDs(clock, storetest.Random(1))
	for range 2_000 {
		m.write(Layout{time.Hour, 1}, ids.Post())
		clock.Advance(time.Hour)
	}
	m.sort()
	m.stale = m.newest
	at := func(hour time.Duration) *blog.PostID {
		return &blog.PostID{UUID: blog.FirstUUIDAt(feedEpoch.Add(hour * time.Hour))}
	}
	for _, backward := range []bool{false, true} {
		got, whole := m.page(t, blog.PageRequest[blog.PostID]{Limit: 20, Backward: backward, After: at(1_003), Before: at(1_000)})
		if len(got) != 3 || !whole || m.partitions != 3 || m.names != 1 {
			t.Errorf("backward %v: %d posts, whole %v, of %d buckets and %d slices of the index; want 3, true, 3 and 1", backward, len(got), whole, m.partitions, m.names)
		}
	}
}

// Where all posts of very many buckets were deleted each page ends after some, and the next ones come to what stands.
func TestAPageEndsAmongDeletedPosts(t *testing.T) {
	t.Parallel()
	type feed struct{ shards, hours int }
	feeds := []feed{{1, 2_000}, {3, 700}, {MaxShards, 40}}
	for hours := maxBuckets; hours < maxBuckets+2*maxSteps; hours++ { // the last one lies where a page ends, and beside it
		feeds = append(feeds, feed{1, hours})
	}
	for _, f := range feeds {
		shards, hours := f.shards, f.hours
		m, clock := &modelFeed{newest: Layouts{}, posts: map[blog.FeedPlace][]blog.Post{}}, storetest.NewClock(feedEpoch)
		ids := blog.NewIDs(clock, storetest.Random(storetest.Seed(t)))
		for hour := range hours {
			for shard := range shards {
				m.index = append(m.index, Layout{time.Hour, shards}.at(feedEpoch.Add(time.Duration(hour)*time.Hour), shard))
			}
		}
		for range 2 {
			m.write(Layout{time.Hour, shards}, ids.Post())
			clock.Advance(time.Duration(hours-1) * time.Hour)
		}
		m.sort()
		m.stale = m.newest
		for _, backward := range []bool{false, true} {
			var found []blog.PostID
			request, pages := blog.PageRequest[blog.PostID]{Limit: 20, Backward: backward}, 0
			for whole := false; !whole; pages++ {
				var got []blog.PostID
				got, whole = m.page(t, request)
				if backward {
					got, found = found, got
				}
				found = append(found, got...)
				if request = m.next(request); m.partitions > maxBuckets+maxSteps*shards || pages > 2*hours {
					t.Fatalf("%d shards, backward %v: page %d reads %d partitions", shards, backward, pages, m.partitions)
				}
			}
			if !slices.Equal(found, m.all) || pages < hours*shards/(maxBuckets+maxSteps*shards) {
				t.Errorf("%d shards, backward %v: %d pages have the posts %v, want %v", shards, backward, pages, found, m.all)
			}
		}
	}
}

// shortened returns what is left of a page that ended early: what it comes to first.
func shortened(posts []blog.PostID, n int, backward bool) []blog.PostID {
	if backward {
		return posts[max(0, len(posts)-n):]
	}
	return posts[:min(n, len(posts))]
}

var feedEpoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// randomFeed makes a feed whose layout changes now and then, some servers lagging behind.
func randomFeed(random *rand.Rand) *modelFeed {
	m := &modelFeed{newest: Layouts{}, posts: map[blog.FeedPlace][]blog.Post{}}
	clock := storetest.NewClock(feedEpoch)
	ids := blog.NewIDs(clock, storetest.Random(random.Uint64()))
	widths := []time.Duration{time.Minute, 7 * time.Minute, 30 * time.Minute, time.Hour, 90 * time.Minute, 7 * time.Hour, 24 * time.Hour, 168 * time.Hour}
	current := []Layout{{widths[random.IntN(len(widths))], 1 + random.IntN(3)}}
	pause := float64(1+random.IntN(60)) * float64(time.Minute)
	for range 20 + random.IntN(400) {
		if random.IntN(60) == 0 {
			current = append(current, Layout{widths[random.IntN(len(widths))], 1 + random.IntN(3)})
		}
		if random.IntN(15) == 0 {
			current = current[len(current)-1:]
		}
		if random.IntN(5) > 0 {
			clock.Advance(time.Duration(random.ExpFloat64() * pause))
		}
		m.write(current[random.IntN(len(current))], ids.Post())
	}
	if n := len(m.all); random.IntN(3) == 0 {
		first := random.IntN(n)
		m.delete(first, min(n-1, first+random.IntN(n)))
	}
	m.sort()
	m.stale = Layouts{}
	for width, shards := range m.newest {
		if random.IntN(2) == 0 {
			m.stale[width] = shards
		}
	}
	return m
}

// randomPage asks for a page between posts of the feed, or positions where none is.
func randomPage(random *rand.Rand, m *modelFeed, ids *blog.IDs, clock *storetest.Clock) blog.PageRequest[blog.PostID] {
	request := blog.PageRequest[blog.PostID]{Limit: 1 + random.IntN(30), Backward: random.IntN(2) == 0}
	position := func() *blog.PostID {
		post := m.all[random.IntN(len(m.all))]
		switch random.IntN(4) {
		case 0:
			return nil
		case 1:
			clock.Set(post.Time().Add(time.Duration(random.Int64N(int64(200*time.Hour))) - 100*time.Hour))
			*(&post) = ids.Post()
		}
		return &post
	}
	request.After, request.Before = position(), position()
	return request
}
