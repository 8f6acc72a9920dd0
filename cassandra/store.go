package cassandra

import (
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/changelog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// Store keeps a blog in a Cassandra cluster.
type Store struct {
	shared
	db      *cql.Session
	clock   blog.Clock // this server's own
	ids     *blog.IDs
	truths  *truth.Truths
	journal *journal.Journal
	follow  *follower
	feed    *feed.Index
	changes *changelog.Writer
	cascades
	*upkeep
	accountAge time.Duration // see [Config]
}

// shared are what every store has alike, and what lists are read by here.
type shared struct {
	blog.Declared
	gaps *gap.Gaps
}

// cascades are the jobs that commands leave.
type cascades struct {
	renames  *cascade.Renames
	sweeps   *cascade.Sweeps
	erasures *cascade.Erasures
}

var _ blog.Store = (*Store)(nil)
