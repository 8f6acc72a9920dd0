package cassandra

import (
	"log/slog"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/coalesce"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Store keeps a blog in a Cassandra cluster.
type Store struct {
	db       *cql.Session
	schema   migrate.Record
	config   Config // as it was resolved
	feed     *feed.Index
	clock    blog.Clock // this server's own
	clocks   *cluster.Clocks
	ids      *blog.IDs
	log      *slog.Logger
	deadline time.Duration // of one command, whatever its caller does meanwhile
	server   blog.UUID     // names this process, for leases

	background *job.Background
	recovery   recovery
	jobs       *job.Runner
	leases     job.Leases
	renames    renames
	comments   *counted.Partitions[blog.PostID, commentTruth]
	likes      *counted.Partitions[blog.PostID, likeClaim]
	names      *coalesce.Next[blog.UserID, blog.Name]
	rechecks   *coalesce.Next[blog.UserID, blog.Name] // of names that were copied
	refs       *coalesce.Next[blog.PostID, blog.PostRef]
	knownRefs  *lru.Cache[blog.PostID, blog.PostRef]
	intents    *cql.Batches
	copies     *cql.Batches
	marks      *cql.Batches // of intents that are done
	gaps       *gap.Gaps
	leaps      *leaps
	newer      atomic.Pointer[string] // migrations that this program does not know
}

var _ blog.Store = (*Store)(nil)
