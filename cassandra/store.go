package cassandra

import (
	"log/slog"
	"sync/atomic"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/migrate"
	"broadsheet/cassandra/truth"
)

// Store keeps a blog in a Cassandra cluster.
type Store struct {
	db     *cql.Session
	schema migrate.Record
	config Config // as it was resolved
	feed   *feed.Index
	clock  blog.Clock // this server's own
	clocks *cluster.Clocks
	ids    *blog.IDs
	log    *slog.Logger
	server blog.UUID // names this process, for leases

	background *job.Background
	recovery   recovery
	jobs       *job.Runner
	leases     job.Leases
	renames    renames
	truths     *truth.Truths
	intents    *cql.Batches
	copies     *cql.Batches
	marks      *cql.Batches // of intents that are done
	gaps       *gap.Gaps
	leaps      *leaps
	newer      atomic.Pointer[string] // migrations that this program does not know
}

var _ blog.Store = (*Store)(nil)
