package cassandra

import (
	"log/slog"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/changelog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/migrate"
	"broadsheet/cassandra/move"
	"broadsheet/cassandra/truth"
	"broadsheet/internal/audit"
	"broadsheet/internal/service"
)

// Store keeps a blog in a Cassandra cluster.
type Store struct {
	blog.Declared
	floors
	upkeep
	clock      blog.Clock // this server's own
	ids        *blog.IDs
	log        *slog.Logger
	accountAge time.Duration // see [Config]
	mover      move.Mover    // of tables that change their keys
}

// floors are what commands and queries go through.
type floors struct {
	db         *cql.Session
	truths     *truth.Truths
	journal    *journal.Journal
	copies     *cql.Batches // of commands that run at once
	background *job.Background
	changes    *changelog.Writer
	gaps       *gap.Gaps
	feed       *feed.Index
	renames    *cascade.Renames
	sweeps     *cascade.Sweeps
	deletions  cascade.Deletions // of what an account wrote that is erased
}

// upkeep is what a server does beside its commands, and what it tells of that.
type upkeep struct {
	schema   migrate.Record
	newer    atomic.Pointer[string]       // migrations that this program does not know
	latest   atomic.Int64                 // the last migration
	verified atomic.Pointer[time.Time]    // when all was found well
	unbuilt  atomic.Pointer[[]blog.Table] // tables whose queries are refused
	clocks   *cluster.Clocks
	watch    *cluster.Watch
	largest  cluster.Partitions
	jobs     *job.Runner
	recovery *journal.Recovery
	cleaning *service.Service // of checkpoints that lead nowhere

	audit.Rebuilder // compares copies with truths, mends them, and builds tables anew
}

var _ blog.Store = (*Store)(nil)
