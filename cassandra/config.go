package cassandra

import (
	"cmp"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/feed"
)

// Config says where a store's cluster is, and how the store uses it; its tags describe the flags that set it. The zero
// value of a field is its default; only Hosts has none. A span of the feed is whole minutes. It may be spread over more
// partitions than one for a feed that takes more writes than one node. All servers should have the same of both, and
// the same AccountAge.
type Config struct {
	cluster.Config

	FeedBucketWidth time.Duration `name:"cassandra-feed-bucket-width" default:"168h" help:"The time span of the feed in one partition. A change applies to new posts."`
	FeedShards      int           `name:"cassandra-feed-shards" default:"1" help:"How many partitions such a span is spread over. A change applies to new posts."`
	JobRate         int           `name:"cassandra-job-rate" default:"5000" help:"How many copies a second this server writes in the background, after a rename or the deletion of a post."`

	// AccountAge is for how long servers answer by an account that they have read: an edit of one returns when
	// none answers by what it was before. Default 0.
	AccountAge time.Duration `kong:"-"`

	// MoveLease is for how long this server goes by the phase of a table whose key changes. Default [move.LeaseTime], for
	// which a step waits; tests set less.
	MoveLease time.Duration `kong:"-"`

	Behind bool `kong:"-"` // the schema may lack migrations: the store has its notes, and no more can be asked of it
}

// Check returns an Invalid error that says what to mend.
func (c Config) Check() error {
	if err := c.Config.Check(); err != nil {
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
