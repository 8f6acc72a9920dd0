package cassandra

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/changelog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/audit"
	"broadsheet/internal/service"
)

// upkeep is what a server does beside its commands, and what it tells of that.
type upkeep struct {
	schema   migrate.Record
	newer    atomic.Pointer[string]       // migrations that this program does not know
	unbuilt  atomic.Pointer[[]blog.Table] // tables whose queries are refused; nil: none, as nearly always
	clocks   *cluster.Clocks
	jobs     *job.Runner
	recovery *journal.Recovery
	feed     *changelog.Writer
	cleaning *service.Service // of checkpoints that lead nowhere
	log      *slog.Logger

	audit.Rebuilder // compares copies with truths, mends them, and builds tables anew
}

const (
	// forgetEvery is how often a server looks for checkpoints that lead nowhere.
	forgetEvery = time.Hour

	// forgottenAfter is how long a job's checkpoint outlives its last save. A job that goes on
	// saves after each page, and a server that would go on with another one finds it by its
	// command's entry in the journal, which has ended by then.
	forgottenAfter = journal.TTL + time.Hour
)

// cleaning returns what removes the checkpoints that no server goes on with.
func cleaning(db *cql.Session, clocks *cluster.Clocks, log *slog.Logger) *service.Service {
	return &service.Service{
		Once: func(ctx context.Context) error {
			return job.ForgetJobs(ctx, db, clocks.Now().Add(-forgottenAfter))
		},
		Every: forgetEvery,
		Log:   log,
		Fails: "checkpoints of jobs that ended can't be removed; trying again later",
	}
}

// Maintain does the store's own work until ctx ends: it finishes what commands left behind whose
// server died, and compares the clocks. Any number of servers may do so at once.
func (u *upkeep) Maintain(ctx context.Context) {
	for _, s := range []interface {
		Start(context.Context)
		Stop()
	}{u.recovery, u.cleaning, u.clocks} {
		s.Start(ctx)
		defer s.Stop()
	}
	<-ctx.Done()
}

// Recover finishes, once, all that was left undone longer ago than a command takes. What can't be
// finished yet stays in the journal; where the cluster did not answer the error is Unavailable, and it is worth
// another attempt.
func (u *upkeep) Recover(ctx context.Context) error { return u.recovery.Once(ctx) }

// Upkeep is a method of [blog.Store].
func (u *upkeep) Upkeep() blog.Upkeep {
	now := blog.Upkeep{Jobs: u.jobs.Progress(), ClockOffset: u.clocks.Offset()}
	u.recovery.Report(&now)
	u.feed.Report(&now)
	if newer := u.newer.Load(); newer != nil && *newer != "" {
		now.Newer = "the schema has migrations that only a newer program knows: " + *newer
	}
	if unbuilt := u.unbuilt.Load(); unbuilt != nil {
		now.Unbuilt = *unbuilt
	}
	return now
}

// served returns Unavailable where the schema has become one on which this program does not run.
func (u *upkeep) served(ctx context.Context) error {
	newer, err := u.schema.Recheck(ctx)
	if err != nil {
		return err
	}
	u.tellOfNewer(newer)
	if u.unbuilt.Load() != nil {
		return u.lookForUnbuilt(ctx)
	}
	return nil
}

// lookForUnbuilt learns which tables are to be built, and logs them once.
func (u *upkeep) lookForUnbuilt(ctx context.Context) error {
	tables, err := u.schema.Unbuilt(ctx)
	if err != nil {
		return err
	}
	found := &tables
	if len(tables) == 0 {
		found = nil
	}
	if before := u.unbuilt.Swap(found); found != nil && (before == nil || !slices.Equal(*before, tables)) {
		u.log.Warn("tables that are new are not built; their queries are refused until `broadsheet rebuild` has ended", "tables", tables)
	}
	return nil
}

// built returns Unavailable where a table is to be built still.
func (u *upkeep) built(ctx context.Context, table blog.Table) error {
	if !u.isUnbuilt(table) {
		return nil
	}
	if err := u.lookForUnbuilt(ctx); err != nil || !u.isUnbuilt(table) { // it may have been built since
		return err
	}
	return blog.Errorf(blog.Unavailable, "%[1]s is new and not built yet: run `broadsheet rebuild %[1]s`", table)
}

func (u *upkeep) isUnbuilt(table blog.Table) bool {
	left := u.unbuilt.Load()
	return left != nil && slices.Contains(*left, table)
}

// tellOfNewer remembers the migrations that this program does not know, and logs them
// once.
func (u *upkeep) tellOfNewer(newer []migrate.Migration) {
	var names []string
	for _, m := range newer {
		names = append(names, fmt.Sprintf("%d (%s)", m.Version, m.Name))
	}
	text := strings.Join(names, ", ")
	if before := u.newer.Swap(&text); text != "" && (before == nil || *before != text) {
		u.log.Warn("the schema is newer than this program, which may run on it", "migrations", text)
	}
}
