package cassandra

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"

	"github.com/gocql/gocql"
	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	// commandDeadline bounds a command whose caller sets no sooner deadline.
	commandDeadline = 10 * time.Second

	// closeDeadline bounds the wait for what commands left to the background.
	closeDeadline = 10 * time.Second

	// How many reads, and how many batches of each kind, of a process are under way at
	// once, beyond which they gather. What is done after replies is in no hurry: its slot
	// pauses before the next batch.
	readSlots   = 4
	intentSlots = 2
	copySlots   = 2
	lateSlots   = 1
	latePause   = 10 * time.Millisecond

	// maxRows is how many rows one statement reads for several commands.
	maxRows = 32
)

// Open connects to a cluster whose schema is as this program knows it.
// Unavailable: no host answers. Invalid: the configuration can't be used, or the
// schema lacks or is too old or too new; the message says what to do.
func Open(ctx context.Context, c Config, options blog.Options) (*Store, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c, err := c.withDefaults().resolved(ctx)
	if err != nil {
		return nil, err
	}
	cluster, err := c.cluster(c.Keyspace)
	if err != nil {
		return nil, err
	}
	session, err := connect(ctx, cluster)
	if err != nil {
		return nil, err
	}
	newer, err := checkSchema(ctx, session)
	if err != nil {
		session.Close()
		return nil, err
	}
	warnOfGuardrails(ctx, session, c.Log)
	s := newStore(c, session, options)
	if err := s.compareClocks(ctx); err != nil {
		session.Close()
		return nil, err
	}
	s.tellOfNewer(newer)
	return s, nil
}

// resolved asks the cluster for what the configuration leaves open, and checks that
// the keyspace stands.
func (c Config) resolved(ctx context.Context) (Config, error) {
	session, datacenters, err := c.connectAnywhere(ctx)
	if err != nil {
		return c, err
	}
	defer session.Close()
	replicas, err := keyspaceReplication(ctx, session, c.Keyspace)
	if err == nil {
		var recorded bool
		if recorded, err = tableExists(ctx, session, c.Keyspace, historyTable); err == nil && !recorded {
			err = errAbsent
		}
	}
	if err == errAbsent {
		return c, errOldSchema("the keyspace %s holds no schema", c.Keyspace)
	}
	if err != nil {
		return c, err
	}
	return c.resolve(datacenters, replicas)
}

// checkSchema returns the migrations that this program does not know, if it runs on the
// schema.
func checkSchema(ctx context.Context, session *gocql.Session) ([]Migration, error) {
	applied, err := readHistory(ctx, session)
	if err != nil {
		return nil, err
	}
	all, err := reconcile(migrations(), applied)
	if err != nil {
		return nil, err
	}
	if lack := pending(all); len(lack) > 0 {
		return nil, errOldSchema("the schema lacks migration %d (%s)", lack[0].Version, lack[0].Name)
	}
	return newer(all), nil
}

// tellOfNewer remembers the migrations that this program does not know, and logs them
// once.
func (s *Store) tellOfNewer(newer []Migration) {
	var names []string
	for _, m := range newer {
		names = append(names, fmt.Sprintf("%d (%s)", m.Version, m.Name))
	}
	text := strings.Join(names, ", ")
	if told := s.newer.Swap(&text); text != "" && (told == nil || *told != text) {
		s.log.Warn("the schema is newer than this program, which may run on it", "migrations", text)
	}
}

func errOldSchema(format string, args ...any) error {
	return blog.Errorf(blog.Invalid, "%s: run `broadsheet migrate apply`, or serve with --migrate", fmt.Sprintf(format, args...))
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
		session:     session,
		config:      c,
		consistency: consistencies[c.Consistency],
		serial:      serialConsistencies[c.SerialConsistency],
		feed:        feedLayout{width: c.FeedBucketWidth, shards: c.FeedShards},
		clock:       options.Clock,
		ids:         options.IDs,
		observer:    options.Observer,
		log:         c.Log,
		deadline:    commandDeadline,
		server:      newServerID(),
		jobPage:     min(max(c.JobRate/jobPagesPerSecond, 1), jobPage),
		pace:        pace{every: time.Second / time.Duration(c.JobRate)},
		comments:    commentsLedger(),
		likes:       likesLedger(),
	}
	s.clocks.own, s.clocks.cluster = options.Clock, c.ClusterClock
	if c.ClusterClock == nil {
		s.clocks.nodes = &nodesClock{session: session}
		s.clocks.cluster = s.clocks.nodes
	}
	s.comments.attempt, s.likes.attempt = s.compareAndSet, s.compareAndSet
	s.names = rows(s, s.manyNames, readSlots, 0)
	s.rechecks = rows(s, s.manyNames, lateSlots, latePause)
	s.refs = rows(s, s.manyRefs, readSlots, 0)
	s.knownRefs, _ = lru.New[blog.PostID, blog.PostRef](maxKnownRefs) // fails for a size below 1 only
	s.intents = s.newBatches(intentSlots, 0)
	s.copies = s.newBatches(copySlots, 0)
	s.marks = s.newBatches(lateSlots, latePause)
	s.gapMaker, s.leaps = newGapMaker(), newLeaps()
	s.background.init(s.log)
	s.renames.init()
	return s
}

// rows has commands that read rows of a table at once share statements, of some rows each.
func rows[K comparable, V any](s *Store, many func(context.Context, []K) (map[K]V, error), slots int, pause time.Duration) *coalesce.Next[K, V] {
	return &coalesce.Next[K, V]{Many: many, Most: coalesce.Size{Count: maxRows}, Slots: slots, Pause: pause, Limit: commandDeadline, Log: s.log}
}

// Ready reads one small partition as every query does: it fails where a majority
// of its replicas does not answer, where the schema has become one on which this
// program does not run, and while this server's clock is too far off.
func (s *Store) Ready(ctx context.Context) error {
	if s.session.Closed() {
		return blog.Errorf(blog.Unavailable, "the store is closed")
	}
	applied, err := readHistory(ctx, s.session)
	if err != nil {
		return &blog.Error{Kind: blog.Unavailable, Message: "the Cassandra cluster does not answer", Err: err}
	}
	all, err := reconcile(migrations(), applied)
	if err != nil {
		return &blog.Error{Kind: blog.Unavailable, Message: err.Error(), Err: err}
	}
	s.tellOfNewer(newer(all))
	return s.clockRight(ctx)
}

var (
	scanUsernames = statement{blog.UsersByID, `SELECT username FROM users_by_id`}
	scanTitles    = statement{blog.PostsByID, `SELECT title FROM posts_by_id`}
)

// Empty looks for a user or a post. What a deletion or a failed command left
// behind is neither.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	errFound := errors.New("found one")
	for _, scan := range []statement{scanUsernames, scanTitles} {
		err := s.scan(ctx, scan.with(), func(row gocql.Scanner) error {
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

// Close waits for what commands left to the background, for a bounded time, then
// disconnects. Closing again does nothing.
func (s *Store) Close() error {
	if s.session.Closed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeDeadline)
	defer cancel()
	err := s.Settle(ctx)
	s.background.cancel()
	s.handOver()
	s.session.Close()
	return err
}

// handOver waits a little for jobs that were cut off, which write down how far they have
// come.
func (s *Store) handOver() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.background.wait(ctx)
}
