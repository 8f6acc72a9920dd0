package cassandra

import (
	"cmp"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/feed"
)

// Config says where a store's cluster is, and how the store uses it. The zero value of a field is its default; only
// Hosts has none.
type Config struct {
	cluster.Config

	// FeedBucketWidth is the stretch of time of the feed that stands in one partition, in whole minutes. Default 168
	// h. FeedShards is how many partitions such a stretch is spread over. Default 1; more for a feed that takes more
	// writes than one node. Both may be changed at any time and then apply to new posts. All servers should have the
	// same.
	FeedBucketWidth time.Duration
	FeedShards      int

	// JobRate is how many copies a second the jobs of this process write, all together: those that spread a new
	// username, and those that remove what stood below a deleted post. Default 5,000.
	JobRate int

	// AccountAge is for how long servers answer by an account that they have read: an edit of one returns when
	// none answers by what it was before. All servers should have the same. Default 0.
	AccountAge time.Duration
}

// Validate returns an Invalid error that says what to mend.
func (c Config) Validate() error {
	if err := c.Config.Validate(); err != nil {
		return err
	}
	c = c.withDefaults()
	switch {
	case c.FeedBucketWidth < time.Minute || c.FeedBucketWidth%time.Minute != 0:
		return blog.Errorf(blog.Invalid, "feed bucket width %s: use whole minutes, as in 168h", c.FeedBucketWidth)
	case c.FeedShards < 1 || c.FeedShards > feed.MaxShards:
		return blog.Errorf(blog.Invalid, "%d feed shards: use 1 to %d", c.FeedShards, feed.MaxShards)
	case c.JobRate < 1:
		return blog.Errorf(blog.Invalid, "a job rate of %d copies a second: use at least 1", c.JobRate)
	}
	return nil
}

func (c Config) withDefaults() Config {
	c.Config = c.Config.WithDefaults()
	c.FeedBucketWidth = cmp.Or(c.FeedBucketWidth, 168*time.Hour)
	c.FeedShards = cmp.Or(c.FeedShards, 1)
	c.JobRate = cmp.Or(c.JobRate, 5_000)
	return c
}
