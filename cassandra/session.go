package cassandra

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	args []any
	row  row  // that it writes; zero: one that no batch of several has among its entries
	copy bool // its cells are a copy, whose write time is the first argument
}

// row is a row by its key, or what stands once above the rows of a partition.
type row struct {
	key       [3]any
	partition int // how many of them are the partition's
}

func (st statement) with(args ...any) bound { return bound{statement: st, args: args} }

// deleting returns what deletes, as of a stamp, what a key names. The key's first column is the
// partition's.
func (st statement) deleting(stamp int64, key ...any) bound {
	return st.with(append([]any{stamp}, key...)...).of(1, key...)
}

// of names the row that an entry of a batch writes.
func (b bound) of(partition int, key ...any) bound {
	b.row.partition = partition
	copy(b.row.key[:], key)
	return b
}

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

// slice reads some rows of a partition, from where the slice before ended, and returns where
// the next begins, nil where this was the last. Both are the driver's own, and known to nobody
// else.
func (s *Store) slice(ctx context.Context, b bound, rows int, from []byte, visit func(gocql.Scanner) error) (next []byte, err error) {
	start := time.Now()
	iter := s.session.Query(b.cql, b.args...).WithContext(ctx).Consistency(s.consistency).
		RetryPolicy(readRetry{}).PageSize(rows).PageState(from).Iter()
	next = iter.PageState()
	read, err := scanAll(iter, visit)
	s.observe(ctx, b.table, blog.Read, 1, read, start, err)
	return next, convert(ctx, err)
}

// scan reads a partition or a whole table of any size, a page of the driver's at
// a time: for background work, never for a query.
func (s *Store) scan(ctx context.Context, b bound, visit func(gocql.Scanner) error) error {
	return s.scanBy(ctx, scanPage, b, visit)
}

// scanBy is scan, by so many rows.
func (s *Store) scanBy(ctx context.Context, rowsAtOnce int, b bound, visit func(gocql.Scanner) error) error {
	start := time.Now()
	iter := s.session.Query(b.cql, b.args...).WithContext(ctx).Consistency(s.consistency).
		RetryPolicy(readRetry{}).PageSize(rowsAtOnce).Iter()
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
	s.observeWrite(ctx, entries, start, err, false)
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

// observeShare tells the observer of a command's share of a batch.
func (s *Store) observeShare(ctx context.Context, entries []bound, start time.Time, err error) {
	s.observeWrite(ctx, entries, start, err, true)
}

// observeWrite tells the observer of an unconditional write, or of a share of one.
func (s *Store) observeWrite(ctx context.Context, entries []bound, start time.Time, err error, share bool) {
	if s.observer == nil {
		return
	}
	st := blog.Touching(blog.Write, touched(entries), convert(ctx, err))
	st.Duration, st.Share = time.Since(start), share
	s.observer.Statement(ctx, st)
}

// touched returns how many rows and partitions the entries of one write touch in each table,
// in the order of the entries. Several may write cells of one row.
func touched(entries []bound) []blog.TableCost {
	if len(entries) == 1 {
		return []blog.TableCost{{Table: entries[0].table, Partitions: 1, Rows: 1}}
	}
	var tables []blog.TableCost
	seen := make(map[touchedKey]struct{}, 2*len(entries))
	first := func(key touchedKey) bool {
		_, known := seen[key]
		seen[key] = struct{}{}
		return !known
	}
	for _, entry := range entries {
		of := slices.IndexFunc(tables, func(c blog.TableCost) bool { return c.Table == entry.table })
		if of < 0 {
			of, tables = len(tables), append(tables, blog.TableCost{Table: entry.table})
		}
		if first(touchedKey{table: entry.table, row: entry.row}) {
			tables[of].Rows++
		}
		if first(touchedKey{table: entry.table, row: entry.row.above(), partition: true}) {
			tables[of].Partitions++
		}
	}
	return tables
}

type touchedKey struct {
	table     blog.Table
	row       row
	partition bool // all of it
}

// above returns what is above the rows of the row's partition.
func (r row) above() row {
	clear(r.key[r.partition:])
	return r
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
