package cassandra

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/auditor"
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

	"github.com/gocql/gocql"
)

const (
	// closeDeadline bounds the wait for what commands left to the background.
	closeDeadline = 10 * time.Second

	// copySlots is how many batches of copies a process has under way at once, beyond which they
	// gather.
	copySlots = 2
)

// Open connects to a cluster whose schema is as this program knows it. Unavailable: no host answers. Invalid: the
// configuration can't be used, or the schema lacks or is too old or too new; the message says what to do.
func Open(ctx context.Context, c Config, options blog.Options) (*Store, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	var err error
	if c.Config, err = migrate.Resolve(ctx, c.Config); err != nil {
		return nil, err
	}
	session, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	s := newStore(c, session, options)
	if err := s.check(ctx); err != nil && !c.Behind {
		session.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) check(ctx context.Context) error {
	newer, err := s.schema.Check(ctx)
	if err != nil {
		return err
	}
	if err := s.clocks.Compare(ctx); err != nil {
		return err
	}
	s.tellOfNewer(newer)
	return cmp.Or(s.mover.Phases.Look(ctx), s.lookForUnbuilt(ctx))
}

func newStore(c Config, session *gocql.Session, options blog.Options) *Store {
	options = options.WithDefaults(c.Log)
	clock, log := options.Clock, c.Log
	server := blog.NewIDs(clock, rand.Reader).Command().UUID // names this process

	s := &Store{clock: clock, ids: options.IDs, log: log, accountAge: c.AccountAge}
	s.Declared, s.deletions = blog.DeclaredOn(s), deletions{s}
	s.unbuilt.Store(new([]blog.Table))
	s.db, s.watch = c.Session(session, options.Observer), c.Watch
	moves := move.NewPhases(s.db, c.MoveLease)
	s.db.Moves, s.mover = moves, move.Mover{DB: s.db, Phases: moves, Cluster: c.Config, Store: s, Lease: c.MoveLease}
	s.largest.Session, s.largest.Keyspace = session, c.Keyspace
	s.schema = migrate.NewRecord(s.db, c.Config)
	s.clocks = cluster.NewClocks(session, clock, c.ClusterClock, log)
	s.copies, s.background = s.db.Batches(copySlots, log), job.NewBackground(job.MaxBackground, log)
	s.gaps = gap.New(s.db, s.clocks, s.background, log)
	s.truths = truth.New(truth.Config{DB: s.db, Clock: clock, AccountAge: c.AccountAge, Log: log})
	s.journal = journal.New(s.db, clock, s.ids, server, s.background, log)
	s.feed = feed.NewIndex(s.db, feed.Layout{Width: c.FeedBucketWidth, Shards: c.FeedShards})
	s.changes = changelog.NewWriter(changelog.Config{
		DB: s.db, Rows: s.journal.Rows, Cluster: s.clocks, Server: server, IDs: s.ids,
		Keep: options.KeepChanges, Asked: journal.TTL, Log: log,
	})

	leases := job.NewLeases(s.db, server)
	s.jobs = job.NewRunner(s.db, leases, c.JobRate, func(copies []blog.Copy) { s.gaps.Count(gap.Keys(copies, true)) }, log)
	s.renames = cascade.NewRenames(s.jobs, s.truths.Users)
	s.sweeps = cascade.NewSweeps(s.db, clock, s.jobs, s.truths, s.journal.KeepMarks)
	s.recovery = journal.NewRecovery(s.journal, leases, s.clocks, s.recover)
	s.cleaning = s.newCleaning()
	s.Rebuilder = &auditor.Auditor{
		DB: s.db, Cluster: c.Config, Clock: clock, Clocks: s.clocks, Truths: s.truths, Gaps: s.gaps, Feed: s.feed,
		Journal: s.journal, Recovery: s.recovery, Sweeps: s.sweeps, Deletions: s.deletions,
		Moves: moves,
	}
	return s
}

// Ready reads one small partition as every query does. It fails where a majority of its replicas does not answer, and
// where the schema has become one on which this program does not run.
func (s *Store) Ready(ctx context.Context) error {
	if s.db.Closed() {
		return blog.Errorf(blog.Unavailable, "the store is closed")
	}
	newer, err := s.schema.Recheck(ctx)
	if err != nil {
		return err
	}
	s.tellOfNewer(newer)
	return s.lookForUnbuilt(ctx)
}

// Writable fails while this server's clock is too far off.
func (s *Store) Writable(ctx context.Context) error { return s.clocks.Right(ctx) }

var (
	scanUsernames = cql.On(blog.UsersByID, `SELECT username FROM users_by_id`)
	scanTitles    = cql.On(blog.PostsByID, `SELECT title FROM posts_by_id`)
)

// Empty looks for a user or a post. What a deletion or a failed command left behind is neither.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	errFound := errors.New("found one")
	for _, scan := range []cql.Statement{scanUsernames, scanTitles} {
		err := s.db.Scan(ctx, scan.With(), func(row gocql.Scanner) error {
			var text string
			if err := row.Scan(&text); err != nil || text == "" {
				return err
			}
			return errFound
		})
		switch {
		case errors.Is(err, errFound):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}

// Noted is a method of [blog.Store]. A note is a small thing that outlives processes, like the checkpoint of a job.
func (s *Store) Noted(ctx context.Context, about blog.Note) (string, error) {
	noted, err := job.Load[string](ctx, s.db, string(about))
	return noted.Position, err
}

// Note is a method of [blog.Store].
func (s *Store) Note(ctx context.Context, about blog.Note, was, text string) error {
	noted, err := job.Load[string](ctx, s.db, string(about))
	if err != nil || noted.Position == text {
		return err
	}
	saved := false
	if noted.Position == was {
		saved, err = noted.Save(ctx, text)
	}
	if err == nil && !saved {
		err = blog.Errorf(blog.Unavailable, "another server notes now how it authenticates: try again")
	}
	return err
}

// Changes is a method of [blog.Store].
func (s *Store) Changes() blog.Changes { return s.changes }

// Settle waits until nothing is left of the commands that this process replied to.
func (s *Store) Settle(ctx context.Context) error {
	return cql.Convert(ctx, s.background.Wait(ctx))
}

// Close waits for what commands left to the background, for a bounded time, then disconnects. Closing again does
// nothing.
func (s *Store) Close() error {
	if s.db.Closed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeDeadline)
	defer cancel()
	err := s.Settle(ctx)
	s.background.Stop()
	handingOver, cut := context.WithTimeout(context.Background(), 2*time.Second) // by jobs that were cut off
	defer cut()
	_ = s.background.Wait(handingOver)
	s.changes.Stop(ctx)
	s.db.Close()
	return err
}
