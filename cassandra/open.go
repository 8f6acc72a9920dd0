package cassandra

import (
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

// Open connects to a cluster whose schema is as this program knows it.
// Unavailable: no host answers. Invalid: the configuration can't be used, or the
// schema lacks or is too old or too new; the message says what to do.
func Open(ctx context.Context, c Config, options blog.Options) (*Store, error) {
	if err := c.Validate(); err != nil {
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
	newer, err := migrate.NewRecord(session).Check(ctx)
	if err != nil {
		session.Close()
		return nil, err
	}
	cluster.WarnOfGuardrails(ctx, session, c.Log)
	s := newStore(c, session, options)
	if err := s.clocks.Compare(ctx); err != nil {
		session.Close()
		return nil, err
	}
	s.tellOfNewer(newer)
	if err := s.lookForUnbuilt(ctx); err != nil {
		session.Close()
		return nil, err
	}
	return s, nil
}

func newStore(c Config, session *gocql.Session, options blog.Options) *Store {
	if options.Clock == nil {
		options.Clock = blog.SystemClock{}
	}
	if options.IDs == nil {
		options.IDs = blog.NewIDs(options.Clock, rand.Reader)
		options.IDs.OnStepBack(func(by time.Duration) {
			c.Log.Warn("the clock was set back; what is made from now on is dated by it", "by", by)
		})
	}
	db, clock, log := c.Session(session, options.Observer), options.Clock, c.Log
	clocks := cluster.NewClocks(session, clock, c.ClusterClock, log)
	server := blog.NewIDs(clock, rand.Reader).Command().UUID // names this process
	leases := job.NewLeases(db, server)
	background := job.NewBackground(job.MaxBackground, log)
	gaps := gap.New(db, clocks, background, log)
	truths := truth.New(truth.Config{DB: db, Clock: clock, AccountAge: c.AccountAge, Log: log})
	written := journal.New(db, clock, options.IDs, server, background, log)
	changes := changelog.NewWriter(changelog.Config{
		DB: db, Cluster: clocks, Server: server, IDs: options.IDs, Keep: options.KeepChanges, Asked: journal.TTL, Log: log,
	})
	jobs := job.NewRunner(db, leases, c.JobRate, func(copies []blog.Copy) { gaps.Count(gap.Keys(copies, true)) }, log)
	s := &Store{
		shared:  shared{gaps: gaps},
		db:      db,
		clock:   clock,
		ids:     options.IDs,
		truths:  truths,
		journal: written,
		follow: &follower{
			db: db, truths: truths, journal: written, copies: db.Batches(copySlots, log),
			background: background, gaps: gaps, changes: changes, log: log,
		},
		feed:    feed.NewIndex(db, feed.Layout{Width: c.FeedBucketWidth, Shards: c.FeedShards}),
		changes: changes,
		upkeep: &upkeep{
			schema:   migrate.NewRecord(session),
			clocks:   clocks,
			jobs:     jobs,
			cleaning: cleaning(db, clocks, log),
			feed:     changes,
			log:      log,
		},
		accountAge: c.AccountAge,
	}
	s.Declared, s.follow.deletions = blog.DeclaredOn(s), deletions{s}
	s.cascades = cascades{
		cascade.NewRenames(jobs, truths.Users), cascade.NewSweeps(db, clock, jobs, truths, written.KeepMarks),
		cascade.NewErasures(jobs, s.follow.deletions),
	}
	s.recovery = journal.NewRecovery(written, leases, clocks, s.recover)
	s.Rebuilder = &auditor.Auditor{
		DB: db, Cluster: c.Config, Clock: clock, Clocks: clocks, Truths: truths, Gaps: gaps, Feed: s.feed,
		Journal: written, Recovery: s.recovery, Sweeps: s.sweeps,
		Deletions: s.follow.deletions,
	}
	return s
}

// Ready reads one small partition as every query does: it fails where a majority
// of its replicas does not answer, and where the schema has become one on which this
// program does not run.
func (s *Store) Ready(ctx context.Context) error {
	if s.db.Closed() {
		return blog.Errorf(blog.Unavailable, "the store is closed")
	}
	return s.served(ctx)
}

// Writable fails while this server's clock is too far off.
func (s *Store) Writable(ctx context.Context) error { return s.clocks.Right(ctx) }

var (
	scanUsernames = cql.On(blog.UsersByID, `SELECT username FROM users_by_id`)
	scanTitles    = cql.On(blog.PostsByID, `SELECT title FROM posts_by_id`)
)

// Empty looks for a user or a post. What a deletion or a failed command left
// behind is neither.
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
		if err != nil {
			return false, unless(err, errFound)
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

// unless returns err, or nil where it wraps expected.
func unless(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// Settle waits until nothing is left of the commands that this process replied to.
func (s *Store) Settle(ctx context.Context) error {
	return cql.Convert(ctx, s.follow.background.Wait(ctx))
}

// Close waits for what commands left to the background, for a bounded time, then
// disconnects. Closing again does nothing.
func (s *Store) Close() error {
	if s.db.Closed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeDeadline)
	defer cancel()
	err := s.Settle(ctx)
	s.follow.background.Stop()
	s.handOver()
	s.changes.Stop(ctx)
	s.db.Close()
	return err
}

// handOver waits a little for jobs that were cut off, which write down how far they have
// come.
func (s *Store) handOver() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.follow.background.Wait(ctx)
}
