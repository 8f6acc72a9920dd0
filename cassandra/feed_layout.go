package cassandra

import (
	"fmt"
	"hash/fnv"
	"time"

	"broadsheet/blog"
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
	start := time.UnixMilli(post.Time().UnixMilli() / l.width.Milliseconds() * l.width.Milliseconds()).UTC()
	hash := fnv.New32a()
	hash.Write(post.UUID[:])
	return feedBucket{
		FeedPlace: blog.FeedPlace{
			Bucket: fmt.Sprintf("%s+%s", start.Format(bucketTime), l.width),
			Shard:  int(hash.Sum32() % uint32(l.shards)),
		},
		start: start,
		end:   start.Add(l.width),
	}
}
