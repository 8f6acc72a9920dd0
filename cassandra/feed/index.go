package feed

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	selectFeedLayouts = cql.On(blog.FeedBuckets, `SELECT DISTINCT feed, layouts FROM feed_buckets WHERE feed = 0`)
	addFeedLayouts    = cql.On(blog.FeedBuckets, `UPDATE feed_buckets SET layouts = layouts + ? WHERE feed = 0`)

	selectFeedBuckets = cql.On(blog.FeedBuckets,
		`SELECT bucket, shard, starts_at, ends_at, layouts FROM feed_buckets`+
			` WHERE feed = 0 AND ends_at > ? AND ends_at <= ? ORDER BY ends_at DESC`)
	selectOldestFeedBuckets = cql.On(blog.FeedBuckets,
		`SELECT bucket, shard, starts_at, ends_at, layouts FROM feed_buckets`+
			` WHERE feed = 0 AND ends_at > ? AND ends_at <= ? ORDER BY ends_at ASC`)

	scanFeedBuckets = cql.On(blog.FeedBuckets,
		`SELECT ends_at, bucket, shard, starts_at, WRITETIME(starts_at) FROM feed_buckets WHERE feed = 0`)
	insertFeedBucket = cql.On(blog.FeedBuckets,
		`INSERT INTO feed_buckets (feed, ends_at, bucket, shard, starts_at) VALUES (0, ?, ?, ?, ?)`)
	mendFeedBucket = cql.On(blog.FeedBuckets,
		`INSERT INTO feed_buckets (feed, ends_at, bucket, shard, starts_at) VALUES (0, ?, ?, ?, ?)`+
			` USING TIMESTAMP ?`)
	deleteFeedBucket = cql.On(blog.FeedBuckets, `DELETE FROM feed_buckets USING TIMESTAMP ?`+
		` WHERE feed = 0 AND ends_at = ? AND bucket = ? AND shard = ?`)
)

// Index is the feed's index as one process reads it and adds to it.
type Index struct {
	Layout // of new posts
	db     *cql.Session
	known  atomic.Pointer[Layouts] // some of those that the index has, or all; nil: not read yet
	named  sync.Map                // names of buckets that are known to stand
}

// NewIndex returns the index of a feed whose new posts go by a layout.
func NewIndex(db *cql.Session, layout Layout) *Index { return &Index{Layout: layout, db: db} }

// Ensure makes the index name a bucket, before the first post of this process in it: else a reader misses the post.
func (x *Index) Ensure(ctx context.Context, b Bucket) error {
	if _, known := x.named.Load(b.FeedPlace); known {
		return nil
	}
	err := cql.Insist(ctx, func(ctx context.Context) error {
		return x.name(ctx, insertFeedBucket.With(b.End, b.Bucket, b.Shard, b.Start), b, x.Layout)
	})
	if err == nil {
		x.named.Store(b.FeedPlace, struct{}{})
	}
	return err
}

// Mend makes the index name a bucket as of a stamp.
func (x *Index) Mend(ctx context.Context, b Bucket, stamp int64) error {
	return x.name(ctx, mendFeedBucket.With(b.End, b.Bucket, b.Shard, b.Start, stamp), b, b.layout())
}

// Delete takes a name off the index as of a stamp.
func (x *Index) Delete(ctx context.Context, b Bucket, stamp int64) error {
	return x.db.Write(ctx, deleteFeedBucket.With(stamp, b.End, b.Bucket, b.Shard))
}

// layouts returns the layouts that this process knows of, or else reads them.
func (x *Index) layouts(ctx context.Context) (Layouts, error) {
	if known := x.known.Load(); known != nil {
		return *known, nil
	}
	return x.newestLayouts(ctx)
}

// newestLayouts reads the layouts. Where the index has none, as one that an older program
// wrote, it finds them in the names of the buckets and writes them down: they stand there
// before the process that asks writes one of its own, so where there are any, there are all.
func (x *Index) newestLayouts(ctx context.Context) (Layouts, error) {
	layouts, err := x.Written(ctx)
	if err != nil || len(layouts) > 0 {
		x.remember(layouts)
		return layouts, err
	}
	err = x.EachBucket(ctx, func(b Bucket, _ int64) error {
		if !b.Misnamed() {
			layouts.add(b.layout())
		}
		return nil
	})
	if err != nil || len(layouts) == 0 {
		return layouts, err
	}
	if err := x.db.Write(ctx, addFeedLayouts.With(layouts.written())); err != nil {
		return nil, err
	}
	x.remember(layouts)
	return layouts, nil
}

// Written reads the layouts that the index has.
func (x *Index) Written(ctx context.Context) (Layouts, error) {
	var written []string
	err := x.db.One(ctx, selectFeedLayouts.With(), nil, &written)
	return readLayouts(written), cql.AbsentIsZero(err)
}

// remember keeps layouts that the index has for layouts.
func (x *Index) remember(layouts Layouts) {
	if len(layouts) > 0 {
		x.known.Store(&layouts)
	}
}

// name makes the index name a bucket, by a statement that inserts the name, and
// with it the bucket's layout: both are one partition, so no reader sees one without the other.
func (x *Index) name(ctx context.Context, insert cql.Bound, b Bucket, layout Layout) error {
	if _, err := x.layouts(ctx); err != nil {
		return err
	}
	return x.db.Write(ctx, insert.Of(0, b.End, b.Bucket, b.Shard), addFeedLayouts.With([]string{layout.String()}).Of(0))
}

// EachBucket visits all names of the index, each with the time that it was written at.
func (x *Index) EachBucket(ctx context.Context, visit func(b Bucket, written int64) error) error {
	return x.db.Scan(ctx, scanFeedBuckets.With(), func(row gocql.Scanner) error {
		var b Bucket
		var written int64
		err := row.Scan(&b.End, &b.Bucket, &b.Shard, &b.Start, &written)
		if err != nil || b.Bucket == "" { // there are layouts alone
			return err
		}
		b.Start, b.End = b.Start.UTC(), b.End.UTC()
		return visit(b, written)
	})
}

// slice is a method of source.
func (x *Index) slice(ctx context.Context, newestFirst bool, after, top time.Time, from []byte) (found slice, err error) {
	st := selectOldestFeedBuckets
	if newestFirst {
		st = selectFeedBuckets
	}
	var written []string
	found.next, err = x.db.Slice(ctx, st.With(after, top), namesIn(x.Shards, from == nil), from, func(row gocql.Scanner) error {
		var b Bucket
		var once any // the layouts come with every row
		if len(found.buckets) == 0 {
			once = &written
		}
		err := row.Scan(&b.Bucket, &b.Shard, &b.Start, &b.End, once)
		found.buckets = append(found.buckets, b)
		return err
	})
	found.layouts = readLayouts(written)
	x.remember(found.layouts)
	return found, err
}
