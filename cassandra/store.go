package cassandra

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"

	"github.com/gocql/gocql"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Store keeps a blog in a Cassandra cluster.
type Store struct {
	session     *gocql.Session
	config      Config // as it was resolved
	consistency gocql.Consistency
	serial      gocql.SerialConsistency
	feed        feedLayout
	clock       blog.Clock // this server's own
	clocks      clocks
	ids         *blog.IDs
	observer    blog.Observer
	log         *slog.Logger
	deadline    time.Duration // of one command, whatever its caller does meanwhile
	server      blog.UUID     // names this process, for leases

	background background
	recovery   recovery
	jobs       jobs
	renames    renames
	jobPage    int  // rows that a job reads at once
	pace       pace // of the copies that jobs write
	comments   *ledger
	likes      *ledger
	names      *coalesce.Next[blog.UserID, blog.Name]
	rechecks   *coalesce.Next[blog.UserID, blog.Name] // of names that were copied
	refs       *coalesce.Next[blog.PostID, blog.PostRef]
	knownRefs  *lru.Cache[blog.PostID, blog.PostRef]
	intents    *batches
	copies     *batches
	marks      *batches // of intents that are done
	gapMaker   *gapMaker
	leaps      *leaps
	inLines    atomic.Int64                // commands under way on all ledgers
	newer      atomic.Pointer[string]      // migrations that this program does not know
	buckets    sync.Map                    // names of feed buckets whose index row is known to stand
	layouts    atomic.Pointer[feedLayouts] // of the feed, some of those that the index has, or all; nil: not read yet
}

var _ blog.Store = (*Store)(nil)
