package cassandra

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/service"
)

// forgottenAfter is how long a job's checkpoint outlives its last save. A job that goes on saves after each page, and a
// server that would go on with another one finds it by its command's entry in the journal, which has ended by then.
const forgottenAfter = journal.TTL + time.Hour

// newCleaning returns what keeps the checkpoints: it removes those that no server goes on with. For operators it reads what
// they say, and how large partitions are.
func (s *Store) newCleaning() *service.Service {
	return &service.Service{
		Once: func(ctx context.Context) error {
			_ = s.largest.Ask(ctx) // not every role may know
			lacking := cql.Insist(ctx, s.markLacking)
			if verified, err := job.Load[string](ctx, s.db, string(blog.Verified)); err == nil {
				s.verified.Store(new(blog.TimeOf(verified.Position)))
			}
			return cmp.Or(lacking, job.ForgetJobs(ctx, s.db, s.clocks.Now().Add(-forgottenAfter)))
		},
		Every: time.Hour,
		Log:   s.log,
		Fails: "checkpoints can't be kept; trying again later",
	}
}

// markLacking writes down that tables that only newer programs know are to be built: this one writes no rows there.
func (s *Store) markLacking(ctx context.Context) error {
	newer, err := s.schema.Recheck(ctx)
	for _, m := range newer {
		unbuilt, failed := job.Load[struct{}](ctx, s.db, migrate.UnbuiltName(m.Table()))
		if failed == nil {
			_, failed = unbuilt.Save(ctx, struct{}{})
		}
		err = cmp.Or(err, failed, job.Forget(ctx, s.db, migrate.RebuildName(m.Table())))
	}
	return err
}

// Maintain does the store's own work until ctx ends: it finishes what commands of dead servers left behind, and
// compares the clocks. Any number of servers may do so at once.
func (s *Store) Maintain(ctx context.Context) {
	for _, service := range []interface {
		Start(context.Context)
		Stop()
	}{s.recovery, s.cleaning, s.clocks} {
		service.Start(ctx)
		defer service.Stop()
	}
	<-ctx.Done()
}

// Recover finishes, once, all that was left undone longer ago than a command takes. What can't be finished yet stays
// in the journal. Unavailable: the cluster did not answer, and it is worth another attempt.
func (s *Store) Recover(ctx context.Context) error { return s.recovery.Once(ctx) }

// Upkeep is a method of [blog.Store].
func (s *Store) Upkeep() blog.Upkeep {
	now := blog.Upkeep{Jobs: s.jobs.Progress(), ClockOffset: s.clocks.Offset()}
	s.recovery.Report(&now)
	s.changes.Report(&now)
	s.watch.Report(&now)
	s.largest.Report(&now)
	now.Hedged = s.db.Hedged()
	if newer := s.newer.Load(); newer != nil && *newer != "" {
		now.Newer = "the schema has migrations that only a newer program knows: " + *newer
	}
	now.Unbuilt, now.Schema = s.lacking(), int(s.latest.Load())
	if verified := s.verified.Load(); verified != nil {
		now.LastVerify = *verified
	}
	return now
}

// lacking returns the tables that are to be built, as far as is known.
func (s *Store) lacking() []blog.Table { return *s.unbuilt.Load() }

// lookForUnbuilt learns which tables are to be built, and logs them once.
func (s *Store) lookForUnbuilt(ctx context.Context) error {
	tables, err := s.schema.Unbuilt(ctx)
	if err != nil {
		return err
	}
	before := s.lacking()
	if s.unbuilt.Store(&tables); len(tables) > 0 && !slices.Equal(before, tables) {
		s.log.Warn("tables that are new are not built; their queries are refused until `broadsheet rebuild` has ended", "tables", tables)
	}
	return nil
}

// built returns Unavailable where a table is to be built still.
func (s *Store) built(ctx context.Context, table blog.Table) error {
	if !slices.Contains(s.lacking(), table) {
		return nil
	}
	if err := s.lookForUnbuilt(ctx); err != nil || !slices.Contains(s.lacking(), table) { // it may have been built since
		return err
	}
	return blog.Errorf(blog.Unavailable, "%[1]s is new and not built yet: run `broadsheet rebuild %[1]s`", table)
}

// tellOfNewer remembers the migrations that this program does not know, and logs them once.
func (s *Store) tellOfNewer(newer []migrate.Migration) {
	var names []string
	s.latest.Store(int64(migrate.Known() + len(newer)))
	for _, m := range newer {
		names = append(names, fmt.Sprintf("%d (%s)", m.Version, m.Name))
	}
	text := strings.Join(names, ", ")
	if before := s.newer.Swap(&text); text != "" && (before == nil || *before != text) {
		s.log.Warn("the schema is newer than this program, which may run on it", "migrations", text)
	}
}
