package feed

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
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

// names reads the names of the feed's buckets in slices, from a page's start on, as far
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
type names struct {
	source      source
	keys        span
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

// span is a range of ids: at least from, below to.
type span struct{ from, to blog.UUID }

// source is where names and layouts are read: [Index].
type source interface {
	// slice reads the names of the buckets that end after one time and not after another, in
	// the order of their ends, from where the slice before ended.
	slice(ctx context.Context, newestFirst bool, after, top time.Time, from []byte) (slice, error)

	// layouts returns layouts that the index had, as of some time, newestLayouts all.
	layouts(ctx context.Context) (Layouts, error)
	newestLayouts(ctx context.Context) (Layouts, error)
}

// slice is some names of the index.
type slice struct {
	buckets []Bucket
	layouts Layouts // of the whole index; nil where it names none, or no row came
	next    []byte  // nil: there are no more
}

func newNames(from source, keys span, newestFirst bool) *names {
	x := &names{source: from, keys: keys, newestFirst: newestFirst, top: cql.EndOfTime, named: map[blog.FeedPlace]bool{}}
	if newestFirst {
		x.edge = cql.EndOfTime
	} else {
		x.edge = keys.from.Time()
	}
	return x
}

// next reads a slice, and returns what it names that may hold posts of the page.
func (x *names) next(ctx context.Context) ([]Bucket, error) {
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	read, err := x.source.slice(ctx, x.newestFirst, x.keys.from.Time(), x.top, x.state)
	if err != nil {
		return nil, err
	}
	x.state, x.ended = read.next, len(read.next) == 0
	buckets := read.buckets
	switch {
	case x.newestFirst:
		buckets, err = x.fromTheTop(ctx, read)
	case !x.ended && len(buckets) > 0:
		buckets, err = x.toTheEdge(ctx, read)
	}
	x.begun = true
	return x.wanted(buckets), err
}

// begin finds out how far above a page's start a slice has room for, so that few buckets have to be computed.
func (x *names) begin(ctx context.Context) error {
	if x.begun || !x.newestFirst || x.whole() {
		return nil
	}
	layouts, err := x.source.layouts(ctx)
	x.top = x.keys.to.Time().Add(layouts.reach(indexSlice / 2))
	return err
}

// whole reports whether the page begins at the end of time.
func (x *names) whole() bool { return x.keys.to == blog.UUID(cql.LastID) }

// fromTheTop adds to a page's first slice the buckets around the page's start that end above the slice.
func (x *names) fromTheTop(ctx context.Context, read slice) ([]Bucket, error) {
	if n := len(read.buckets); n > 0 {
		x.edge = read.buckets[n-1].End
	}
	if x.begun || x.whole() {
		return read.buckets, nil
	}
	layouts, err := x.layouts(ctx, read)
	return append(read.buckets, layouts.around(x.keys.to.Time(), x.top)...), err
}

// toTheEdge adds, to the names of a slice that others follow, the buckets that begin in it and
// end above, or where it does, for of one end some may have been cut off. The narrowest that
// are left out begin at the edge or later.
func (x *names) toTheEdge(ctx context.Context, read slice) ([]Bucket, error) {
	layouts, err := x.layouts(ctx, read)
	end := read.buckets[len(read.buckets)-1].End
	x.edge = end.Add(-layouts.narrowest())
	x.ended = blog.FirstUUIDAt(x.edge).Compare(x.keys.to) >= 0
	last := end.Add(-time.Millisecond)
	return append(read.buckets, layouts.wider().around(last, last)...), err
}

// layouts returns those that came with a slice, as of when it was read.
func (x *names) layouts(ctx context.Context, read slice) (Layouts, error) {
	if len(read.layouts) == 0 {
		return x.source.newestLayouts(ctx)
	}
	return read.layouts, nil
}

// wanted leaves out the buckets that hold no post of the page, and those that were returned.
func (x *names) wanted(buckets []Bucket) []Bucket {
	return slices.DeleteFunc(buckets, func(b Bucket) bool {
		within := blog.FirstUUIDAt(b.Start).Compare(x.keys.to) < 0 && blog.FirstUUIDAt(b.End).Compare(x.keys.from) > 0
		if x.named[b.FeedPlace] || !within {
			return true
		}
		x.named[b.FeedPlace] = true
		return false
	})
}
