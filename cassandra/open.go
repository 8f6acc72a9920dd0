package cassandra

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/migrate"
	"broadsheet/cassandra/truth"

	"github.com/gocql/gocql"
)

const (
	// closeDeadline bounds the wait for what commands left to the background.
	closeDeadline = 10 * time.Second

	// How many batches of each kind a process has under way at once, beyond which they
	// gather. What is done after replies is in no hurry: its slot pauses before the next
	// batch.
	intentSlots = 2
	copySlots   = 2
	lateSlots   = 1
	latePause   = 10 * time.Millisecond
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
	return s, nil
}

// tellOfNewer remembers the migrations that this program does not know, and logs them
// once.
func (s *Store) tellOfNewer(newer []migrate.Migration) {
	var names []string
	for _, m := range newer {
		names = append(names, fmt.Sprintf("%d (%s)", m.Version, m.Name))
	}
	text := strings.Join(names, ", ")
	if told := s.newer.Swap(&text); text != "" && (told == nil || *told != text) {
		s.log.Warn("the schema is newer than this program, which may run on it", "migrations", text)
	}
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
	s := &Store{
		schema: migrate.NewRecord(session),
		db:     c.Session(session, options.Observer),
		config: c,
		clock:  options.Clock,
		clocks: cluster.NewClocks(session, options.Clock, c.ClusterClock, c.Log),
		ids:    options.IDs,
		log:    c.Log,
		server: newServerID(),
	}
	s.truths = truth.New(s.truthConfig())
	s.intents = s.db.Batches(intentSlots, 0, s.log)
	s.copies = s.db.Batches(copySlots, 0, s.log)
	s.marks = s.db.Batches(lateSlots, latePause, s.log)
	s.leaps = newLeaps()
	s.background = job.NewBackground(job.MaxBackground, s.log)
	s.feed = feed.NewIndex(s.db, feed.Layout{Width: c.FeedBucketWidth, Shards: c.FeedShards})
	s.gaps = gap.New(s.db, s.clocks.Now, s.background, s.log)
	s.leases = job.NewLeases(s.db, s.server)
	s.jobs = job.NewRunner(s.db, s.leases, c.JobRate, func(copies []blog.Copy) { s.gaps.Count(gap.Keys(copies, true)) }, s.log)
	s.renames.init()
	return s
}

// truthConfig is what the truths of the store go by.
func (s *Store) truthConfig() truth.Config {
	return truth.Config{DB: s.db, Clock: s.clock, Log: s.log}
}

// Ready reads one small partition as every query does: it fails where a majority
// of its replicas does not answer, where the schema has become one on which this
// program does not run, and while this server's clock is too far off.
func (s *Store) Ready(ctx context.Context) error {
	if s.db.Closed() {
		return blog.Errorf(blog.Unavailable, "the store is closed")
	}
	newer, err := s.schema.Recheck(ctx)
	if err != nil {
		return err
	}
	s.tellOfNewer(newer)
	return s.clocks.Right(ctx)
}

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

// unless returns err, or nil where it wraps expected.
func unless(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// Settle waits until nothing is left of the commands that this process replied to.
func (s *Store) Settle(ctx context.Context) error {
	return cql.Convert(ctx, s.background.Wait(ctx))
}

// newServerID names a process.
func newServerID() blog.UUID { return blog.UUID(gocql.MustRandomUUID()) }

// Close waits for what commands left to the background, for a bounded time, then
// disconnects. Closing again does nothing.
func (s *Store) Close() error {
	if s.db.Closed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeDeadline)
	defer cancel()
	err := s.Settle(ctx)
	s.background.Stop()
	s.handOver()
	s.db.Close()
	return err
}

// handOver waits a little for jobs that were cut off, which write down how far they have
// come.
func (s *Store) handOver() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.background.Wait(ctx)
}
