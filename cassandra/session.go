package cassandra

import (
	"context"
	"errors"
	"fmt"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// statement is a prepared statement of one table. Its text is a constant: the
// driver caches prepared statements by text.
type statement struct {
	table blog.Table
	cql   string
}

// bound is a statement with its arguments: one entry of a batch.
type bound struct {
	statement
	args  []any
	cells cells // of a copy; zero: of something else
}

func (st statement) with(args ...any) bound { return bound{statement: st, args: args} }

// errAbsent says that a read matched no row.
var errAbsent = errors.New("no such row")

// one reads one row into dest. errAbsent where there is none.
func (s *Store) one(ctx context.Context, b bound, dest ...any) error {
	return s.oneAt(ctx, s.consistency, b, dest...)
}

// oneSerial is one at the serial consistency: it first completes what a
// conditional write left undecided, and so sees the outcome of every conditional
// write that ended before.
func (s *Store) oneSerial(ctx context.Context, b bound, dest ...any) error {
	return s.oneAt(ctx, gocql.Consistency(s.serial), b, dest...)
}

func (s *Store) oneAt(ctx context.Context, level gocql.Consistency, b bound, dest ...any) error {
	start := time.Now()
	err := s.session.Query(b.cql, b.args...).WithContext(ctx).Consistency(level).RetryPolicy(readRetry{}).Scan(dest...)
	rows := 1
	if errors.Is(err, gocql.ErrNotFound) {
		err, rows = errAbsent, 0
	}
	s.observe(ctx, b.table, blog.Read, 1, rows, start, err)
	if err != nil && err != errAbsent {
		return convert(ctx, err)
	}
	return err
}

// each reads rows of one partition and calls visit with a scanner that stands on
// each, in the partition's order. All rows come in one answer of at most limit.
func (s *Store) each(ctx context.Context, b bound, limit int, visit func(gocql.Scanner) error) error {
	return s.eachAt(ctx, s.consistency, b, 1, limit, visit)
}

// eachAt is each at a consistency, of so many partitions.
func (s *Store) eachAt(ctx context.Context, level gocql.Consistency, b bound, partitions, limit int, visit func(gocql.Scanner) error) error {
	start := time.Now()
	iter := s.session.Query(b.cql, b.args...).WithContext(ctx).Consistency(level).
		RetryPolicy(readRetry{}).PageSize(limit + 1).Iter()
	rows, err := scanAll(iter, visit)
	s.observe(ctx, b.table, blog.Read, partitions, rows, start, err)
	return convert(ctx, err)
}

// scan reads a partition or a whole table of any size, a page of the driver's at
// a time: for background work, never for a query.
func (s *Store) scan(ctx context.Context, b bound, visit func(gocql.Scanner) error) error {
	start := time.Now()
	iter := s.session.Query(b.cql, b.args...).WithContext(ctx).Consistency(s.consistency).
		RetryPolicy(readRetry{}).PageSize(scanPage).Iter()
	rows, err := scanAll(iter, visit)
	s.observe(ctx, b.table, blog.Read, 1, rows, start, err)
	return convert(ctx, err)
}

const scanPage = 1000

// scanAll visits rows, and closes the iterator however that ends.
func scanAll(iter *gocql.Iter, visit func(gocql.Scanner) error) (rows int, err error) {
	defer iter.Close()
	scanner := iter.Scanner()
	for scanner.Next() {
		rows++
		if err := visit(scanner); err != nil {
			return rows, err
		}
	}
	err = scanner.Err()
	return rows, err
}

// write makes an unconditional write, or several in one batch. The batch is
// unlogged: the journal is its log. Every entry carries its write time, so a
// repetition is harmless and the caller may repeat it.
func (s *Store) write(ctx context.Context, entries ...bound) error {
	start := time.Now()
	var err error
	if len(entries) == 1 {
		err = s.session.Query(entries[0].cql, entries[0].args...).WithContext(ctx).Consistency(s.consistency).Exec()
	} else {
		err = s.session.ExecuteBatch(s.batch(ctx, entries))
	}
	s.observe(ctx, entries[0].table, blog.Write, len(entries), len(entries), start, err)
	return convert(ctx, err)
}

// compareAndSet makes a conditional batch in one partition of one table. Where it
// was refused, current holds what the conditions' columns hold. An error leaves
// the outcome unknown: the batch may have been applied, or be applied later.
func (s *Store) compareAndSet(ctx context.Context, entries ...bound) (applied bool, current map[string]any, err error) {
	start := time.Now()
	applied, current, err = executeCAS(s.session, s.batch(ctx, entries).SerialConsistency(s.serial))
	s.observe(ctx, entries[0].table, blog.Conditional, 1, len(entries), start, err)
	return applied, current, convert(ctx, err)
}

// executeCAS executes a conditional batch. The driver panics where it can't read the
// answer, of which nobody knows then what it said.
func executeCAS(session *gocql.Session, batch *gocql.Batch) (applied bool, current map[string]any, err error) {
	current = map[string]any{}
	defer func() {
		if cause := recover(); cause != nil {
			applied, err = false, fmt.Errorf("the answer to a conditional write can't be read: %v", cause)
		}
	}()
	applied, iter, err := session.MapExecuteBatchCAS(batch, current)
	if iter != nil {
		err = errors.Join(err, iter.Close())
	}
	return applied, current, err
}

func (s *Store) batch(ctx context.Context, entries []bound) *gocql.Batch {
	batch := s.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx).DefaultTimestamp(false)
	batch.SetConsistency(s.consistency)
	for _, entry := range entries {
		batch.Query(entry.cql, entry.args...)
	}
	return batch
}

func (s *Store) observe(ctx context.Context, table blog.Table, kind blog.StatementKind, partitions, rows int, start time.Time, err error) {
	if s.observer == nil {
		return
	}
	if errors.Is(err, errAbsent) {
		err = nil
	}
	s.observer.Statement(ctx, blog.Statement{Table: table, Kind: kind, Partitions: partitions, Rows: rows, Duration: time.Since(start), Err: convert(ctx, err)})
}

// readRetry tries a read once more on the next host. Conditional writes are never
// retried by the driver: a repetition without the rules of group.go could apply
// them twice.
type readRetry struct{}

func (readRetry) Attempt(q gocql.RetryableQuery) bool { return q.Attempts() <= 1 }

func (readRetry) GetRetryType(error) gocql.RetryType { return gocql.RetryNextHost }

// id makes a UUID an argument.
func id(u blog.UUID) gocql.UUID { return gocql.UUID(u) }

// into makes a UUID a destination.
func into(u *blog.UUID) *gocql.UUID { return (*gocql.UUID)(u) }
