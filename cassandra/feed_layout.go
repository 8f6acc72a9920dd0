package cassandra

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	selectFeedLayouts = cql.On(blog.FeedBuckets, `SELECT DISTINCT feed, layouts FROM feed_buckets WHERE feed = 0`)
	addFeedLayouts    = cql.On(blog.FeedBuckets, `UPDATE feed_buckets SET layouts = layouts + ? WHERE feed = 0`)
)

// feedLayout says into which partition of the feed a new post goes. It may be
// changed at any time: a post keeps its place, and the index of buckets names
// every one that was ever used, with its bounds.
type feedLayout struct {
	width  time.Duration // of a bucket
	shards int           // partitions for each bucket
}

// feedBucket is a stretch of time of the feed, in one shard.
type feedBucket struct {
	blog.FeedPlace
	start, end time.Time // end is exclusive
}

// bucketTime is how a bucket's name writes its start; its width follows after a "+".
const bucketTime = "2006-01-02T15:04Z"

// place returns the bucket and shard of a post.
func (l feedLayout) place(post blog.PostID) feedBucket {
	hash := fnv.New32a()
	hash.Write(post.UUID[:])
	return l.at(post.Time(), int(hash.Sum32()%uint32(l.shards)))
}

// at returns the bucket of a time, in one shard.
func (l feedLayout) at(t time.Time, shard int) feedBucket {
	start := time.UnixMilli(t.UnixMilli() / l.width.Milliseconds() * l.width.Milliseconds()).UTC()
	return feedBucket{
		FeedPlace: blog.FeedPlace{Bucket: fmt.Sprintf("%s+%s", start.Format(bucketTime), l.width), Shard: shard},
		start:     start,
		end:       start.Add(l.width),
	}
}

// layout returns a layout that the bucket may be of.
func (b feedBucket) layout() feedLayout { return feedLayout{b.end.Sub(b.start), b.Shard + 1} }

// feedLayouts are the widths that buckets were ever given, each with the greatest number of
// shards that it had.
type feedLayouts map[time.Duration]int

// String writes a layout as the index has it.
func (l feedLayout) String() string { return l.width.String() + "/" + strconv.Itoa(l.shards) }

// readLayouts reads what String wrote, and maybe a newer program with more behind it. What can't
// be read is left out: verify then finds its buckets lacking.
func readLayouts(written []string) feedLayouts {
	layouts := feedLayouts{}
	for _, text := range written {
		parts := append(strings.Split(text, "/"), "")
		width, err := time.ParseDuration(parts[0])
		shards, err2 := strconv.Atoi(parts[1])
		if err == nil && err2 == nil && width >= time.Millisecond && shards > 0 && shards <= maxFeedShards {
			layouts.add(feedLayout{width, shards})
		}
	}
	return layouts
}

func (l feedLayouts) add(one feedLayout) { l[one.width] = max(l[one.width], one.shards) }

// covers reports whether a bucket is of one of the layouts.
func (l feedLayouts) covers(b feedBucket) bool { return b.Shard < l[b.end.Sub(b.start)] }

// written returns the layouts as the index has them.
func (l feedLayouts) written() []string {
	var texts []string
	for width, shards := range l {
		texts = append(texts, feedLayout{width, shards}.String())
	}
	slices.Sort(texts)
	return texts
}

// narrowest returns the smallest width, 0 where there is none.
func (l feedLayouts) narrowest() time.Duration {
	if len(l) == 0 {
		return 0
	}
	return slices.Min(slices.Collect(maps.Keys(l)))
}

// reach returns the greatest width into which no more than so many of the narrowest buckets
// and their shards fit.
func (l feedLayouts) reach(names int) time.Duration {
	narrowest := l.narrowest()
	reach := narrowest
	for width := range l {
		if int(width/narrowest)*l[narrowest] <= names {
			reach = max(reach, width)
		}
	}
	return reach
}

// wider returns the layouts without the narrowest.
func (l feedLayouts) wider() feedLayouts {
	wider := maps.Clone(l)
	delete(wider, l.narrowest())
	return wider
}

// around returns the buckets of each width that contain a time and end after another, whether
// a post stands in them or not.
func (l feedLayouts) around(t, endsAfter time.Time) []feedBucket {
	var buckets []feedBucket
	for width, shards := range l {
		for shard := range shards {
			if b := (feedLayout{width, shards}).at(t, shard); b.end.After(endsAfter) {
				buckets = append(buckets, b)
			}
		}
	}
	return buckets
}

// feedLayouts returns the layouts that this process knows of, or else reads them.
func (s *Store) feedLayouts(ctx context.Context) (feedLayouts, error) {
	if known := s.layouts.Load(); known != nil {
		return *known, nil
	}
	return s.newestLayouts(ctx)
}

// newestLayouts reads the layouts. Where the index has none, as one that an older program
// wrote, it finds them in the names of the buckets and writes them down: they stand there
// before whoever asked writes one of its own, so where there are any, there are all.
func (s *Store) newestLayouts(ctx context.Context) (feedLayouts, error) {
	layouts, err := s.writtenLayouts(ctx)
	if err != nil || len(layouts) > 0 {
		s.remember(layouts)
		return layouts, err
	}
	err = s.eachBucket(ctx, func(b feedBucket, _ int64) error {
		if !misnamed(b) {
			layouts.add(b.layout())
		}
		return nil
	})
	if err != nil || len(layouts) == 0 {
		return layouts, err
	}
	if err := s.db.Write(ctx, addFeedLayouts.With(layouts.written())); err != nil {
		return nil, err
	}
	s.remember(layouts)
	return layouts, nil
}

// writtenLayouts reads the layouts that the index has.
func (s *Store) writtenLayouts(ctx context.Context) (layouts feedLayouts, err error) {
	layouts = feedLayouts{}
	err = s.db.Each(ctx, selectFeedLayouts.With(), 1, func(row gocql.Scanner) error {
		var written []string
		if err := row.Scan(nil, &written); err != nil {
			return err
		}
		layouts = readLayouts(written)
		return nil
	})
	return layouts, err
}

// remember keeps layouts that the index has for those who ask for [Store.feedLayouts].
func (s *Store) remember(layouts feedLayouts) {
	if len(layouts) > 0 {
		s.layouts.Store(&layouts)
	}
}

// nameBucket makes the feed's index name a bucket, by a statement that inserts the name, and
// with it the bucket's layout: both are one partition, so nobody sees one without the other.
func (s *Store) nameBucket(ctx context.Context, insert cql.Bound, b feedBucket, layout feedLayout) error {
	if _, err := s.feedLayouts(ctx); err != nil {
		return err
	}
	return s.db.Write(ctx, insert.Of(0, b.end, b.Bucket, b.Shard), addFeedLayouts.With([]string{layout.String()}).Of(0))
}
