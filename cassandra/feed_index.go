package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	selectFeedBuckets       = cql.On(blog.FeedBuckets, `SELECT bucket, shard, starts_at, ends_at, layouts FROM feed_buckets WHERE feed = 0 AND ends_at > ? AND ends_at <= ? ORDER BY ends_at DESC`)
	selectOldestFeedBuckets = cql.On(blog.FeedBuckets, `SELECT bucket, shard, starts_at, ends_at, layouts FROM feed_buckets WHERE feed = 0 AND ends_at > ? AND ends_at <= ? ORDER BY ends_at ASC`)
)

// indexSlice is how many names of buckets a page reads first, of feeds with one shard: the
// newest page needs one or two of them.
const indexSlice = 16

// namesIn returns how many names a slice has: of each bucket there is one for each shard. A
// page that has not enough of the first goes on with more at once.
func namesIn(shards int, first bool) int {
	if first {
		return indexSlice + 2*shards
	}
	return 4 * (indexSlice + 2*shards)
}

// feedIndex reads the names of the feed's buckets in slices, from a page's start on, as far
// as it is asked. The index is in the order of the buckets' ends, so a slice lacks the buckets
// that reach beyond its upper edge; these are computed, for each width that there ever was has
// one that contains the edge:
//
//	          the week            ┌──────────────────────────────┐
//	          hours   … ┌──┐┌──┐┌──┐┌──┐  ┌──┐┌──┐               ╵ its end
//	newest first        └──┴┴──┴┴──┴┴──┘◁ the page begins
//	                              slice: ends here, or earlier
//
// A bucket that was computed may not exist. To read it is harmless.
type feedIndex struct {
	reader      feedReader
	keys        span[blog.UUID]
	newestFirst bool

	top   time.Time // no name of a bucket that ends later is read
	state []byte    // where the next slice begins
	begun bool
	ended bool

	// What has not been named yet ends at the edge or earlier; oldest first, it begins there
	// or later.
	edge  time.Time
	named map[blog.FeedPlace]bool
}

// feedReader makes the statements of a page of the feed.
type feedReader interface {
	// feedNames reads the names of the buckets that end after one time and not after another,
	// in the order of their ends, from where the slice before ended.
	feedNames(ctx context.Context, newestFirst bool, after, top time.Time, from []byte) (feedSlice, error)

	// feedPosts reads the first posts of a bucket.
	feedPosts(ctx context.Context, bucket blog.FeedPlace, keys span[blog.UUID], newestFirst bool, wanted int) ([]blog.Post, error)

	// feedLayouts returns layouts that the index had, as of some time, newestLayouts all.
	feedLayouts(ctx context.Context) (feedLayouts, error)
	newestLayouts(ctx context.Context) (feedLayouts, error)
}

var _ feedReader = (*Store)(nil)

// feedSlice is some names of the index.
type feedSlice struct {
	buckets []feedBucket
	layouts feedLayouts // of the whole index; nil where it names none, or no row came
	next    []byte      // nil: there are no more
}

func newFeedIndex(reader feedReader, keys span[blog.UUID], newestFirst bool) *feedIndex {
	x := &feedIndex{reader: reader, keys: keys, newestFirst: newestFirst, top: endOfTime, named: map[blog.FeedPlace]bool{}}
	if newestFirst {
		x.edge = endOfTime
	} else {
		x.edge = keys.from.Time()
	}
	return x
}

// next reads a slice, and returns what it names that may hold posts of the page.
func (x *feedIndex) next(ctx context.Context) ([]feedBucket, error) {
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	slice, err := x.reader.feedNames(ctx, x.newestFirst, x.keys.from.Time(), x.top, x.state)
	if err != nil {
		return nil, err
	}
	x.state, x.ended = slice.next, len(slice.next) == 0
	buckets := slice.buckets
	switch {
	case x.newestFirst:
		buckets, err = x.fromTheTop(ctx, slice)
	case !x.ended && len(buckets) > 0:
		buckets, err = x.toTheEdge(ctx, slice)
	}
	x.begun = true
	return x.wanted(buckets), err
}

// begin finds out how far above a page's start to look: as far as the slice has room for, so
// that few buckets have to be computed.
func (x *feedIndex) begin(ctx context.Context) error {
	if x.begun || !x.newestFirst || x.whole() {
		return nil
	}
	layouts, err := x.reader.feedLayouts(ctx)
	x.top = x.keys.to.Time().Add(layouts.reach(indexSlice / 2))
	return err
}

// whole reports whether the page begins at the end of time.
func (x *feedIndex) whole() bool { return x.keys.to == blog.UUID(cql.LastID) }

// fromTheTop adds, to the names of a page's first slice, the buckets around the page's start
// that end above the slice.
func (x *feedIndex) fromTheTop(ctx context.Context, slice feedSlice) ([]feedBucket, error) {
	if n := len(slice.buckets); n > 0 {
		x.edge = slice.buckets[n-1].end
	}
	if x.begun || x.whole() {
		return slice.buckets, nil
	}
	layouts, err := x.layouts(ctx, slice)
	return append(slice.buckets, layouts.around(x.keys.to.Time(), x.top)...), err
}

// toTheEdge adds, to the names of a slice that others follow, the buckets that begin in it and
// end above, or where it does, for of one end some may have been cut off. The narrowest that
// are left out begin at the edge or later.
func (x *feedIndex) toTheEdge(ctx context.Context, slice feedSlice) ([]feedBucket, error) {
	layouts, err := x.layouts(ctx, slice)
	end := slice.buckets[len(slice.buckets)-1].end
	x.edge = end.Add(-layouts.narrowest())
	x.ended = blog.FirstUUIDAt(x.edge).Compare(x.keys.to) >= 0
	last := end.Add(-time.Millisecond)
	return append(slice.buckets, layouts.wider().around(last, last)...), err
}

// layouts returns those that came with a slice, as of when it was read.
func (x *feedIndex) layouts(ctx context.Context, slice feedSlice) (feedLayouts, error) {
	if len(slice.layouts) == 0 {
		return x.reader.newestLayouts(ctx)
	}
	return slice.layouts, nil
}

// wanted leaves out the buckets that hold no post of the page, and those that were returned.
func (x *feedIndex) wanted(buckets []feedBucket) []feedBucket {
	var wanted []feedBucket
	for _, b := range buckets {
		if !x.named[b.FeedPlace] && blog.FirstUUIDAt(b.start).Compare(x.keys.to) < 0 && blog.FirstUUIDAt(b.end).Compare(x.keys.from) > 0 {
			x.named[b.FeedPlace] = true
			wanted = append(wanted, b)
		}
	}
	return wanted
}

func (s *Store) feedNames(ctx context.Context, newestFirst bool, after, top time.Time, from []byte) (found feedSlice, err error) {
	st := selectOldestFeedBuckets
	if newestFirst {
		st = selectFeedBuckets
	}
	var written []string
	found.next, err = s.db.Slice(ctx, st.With(after, top), namesIn(s.feed.shards, from == nil), from, func(row gocql.Scanner) error {
		var b feedBucket
		var once any // the layouts come with every row
		if len(found.buckets) == 0 {
			once = &written
		}
		err := row.Scan(&b.Bucket, &b.Shard, &b.start, &b.end, once)
		found.buckets = append(found.buckets, b)
		return err
	})
	found.layouts = readLayouts(written)
	s.remember(found.layouts)
	return found, err
}
