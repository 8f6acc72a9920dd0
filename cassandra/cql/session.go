package cql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// Session makes statements on one keyspace and tells an observer of each. It is safe for concurrent use.
type Session struct {
	driver      *gocql.Session
	consistency gocql.Consistency
	serial      gocql.SerialConsistency
	observer    blog.Observer
	hedges      hedges

	// Moves says where copies are whose key changes. Nil: no key changes.
	Moves Moves
}

// Moves are tables that change their keys while servers run.
type Moves interface {
	// Writes reports whether a table is written now. Unavailable: it is not known any more.
	Writes(ctx context.Context, table blog.Table) (bool, error)
	// Reads returns the table that is read now in place of a table, which may be the same. Unavailable likewise.
	Reads(ctx context.Context, table blog.Table) (blog.Table, error)
}

// NewSession returns a session that reads and writes at one consistency, and makes
// conditional writes at a serial one. observer may be nil.
func NewSession(driver *gocql.Session, consistency gocql.Consistency, serial gocql.SerialConsistency, observer blog.Observer) *Session {
	return &Session{driver: driver, consistency: consistency, serial: serial, observer: observer}
}

// Closed reports whether the session was closed.
func (s *Session) Closed() bool { return s.driver.Closed() }

// Close disconnects. No statement succeeds after it.
func (s *Session) Close() { s.driver.Close() }

// Reader is [Session.One] or [Session.OneSerial].
type Reader func(ctx context.Context, b Bound, dest ...any) error

// One reads one row into dest. [ErrAbsent] where there is none.
func (s *Session) One(ctx context.Context, b Bound, dest ...any) error {
	return s.one(ctx, s.consistency, b, dest...)
}

// OneSerial is One at the serial consistency: it completes what a conditional write left undecided, and so sees the
// outcome of every one that ended before.
func (s *Session) OneSerial(ctx context.Context, b Bound, dest ...any) error {
	return s.one(ctx, gocql.Consistency(s.serial), b, dest...)
}

func (s *Session) one(ctx context.Context, level gocql.Consistency, b Bound, dest ...any) error {
	start := time.Now()
	iter := s.ask(ctx, level, func(ctx context.Context) *gocql.Iter { return s.query(ctx, level, b).Iter() })
	found := iter.Scan(dest...)
	err := iter.Close()
	if err == nil && !found {
		s.observe(ctx, b.Table, blog.Read, 1, 0, start, nil)
		return ErrAbsent
	}
	s.observe(ctx, b.Table, blog.Read, 1, 1, start, err)
	return Convert(ctx, err)
}

// Visit is called with a scanner at each row of a read, in their order. Its error ends the read.
type Visit func(gocql.Scanner) error

// Each reads rows of one partition. All rows come in one answer of at most limit.
func (s *Session) Each(ctx context.Context, b Bound, limit int, visit Visit) error {
	return s.each(ctx, s.consistency, b, 1, limit, visit)
}

// EachSerial is Each at the serial consistency.
func (s *Session) EachSerial(ctx context.Context, b Bound, limit int, visit Visit) error {
	return s.each(ctx, gocql.Consistency(s.serial), b, 1, limit, visit)
}

// EachOf reads the rows of some partitions, one of each, in one answer.
func (s *Session) EachOf(ctx context.Context, b Bound, partitions int, visit Visit) error {
	return s.each(ctx, s.consistency, b, partitions, partitions, visit)
}

func (s *Session) each(ctx context.Context, level gocql.Consistency, b Bound, partitions, limit int, visit Visit) error {
	start := time.Now()
	read := func(ctx context.Context) *gocql.Iter { return s.query(ctx, level, b).PageSize(limit + 1).Iter() }
	iter := s.ask(ctx, level, read)
	if len(iter.PageState()) > 0 { // the node has cut the answer short
		iter = read(ctx)
	}
	_, err := s.rows(ctx, b, partitions, start, iter, visit)
	return err
}

// Slice reads some rows of a partition, from where the slice before ended, and returns where
// the next begins, nil where this was the last. Both have a meaning for the driver alone.
func (s *Session) Slice(ctx context.Context, b Bound, rows int, from []byte, visit Visit) (next []byte, err error) {
	start := time.Now()
	iter := s.ask(ctx, s.consistency, func(ctx context.Context) *gocql.Iter {
		return s.query(ctx, s.consistency, b).PageSize(rows).PageState(from).Iter()
	})
	return s.rows(ctx, b, 1, start, iter, visit)
}

// Pages reads a whole table or some part of it, a page of some rows at a time. Each page is
// asked for through patiently, which may repeat the question.
func (s *Session) Pages(ctx context.Context, b Bound, rows int, patiently func(context.Context, func(context.Context) error) error, visit Visit) error {
	var state []byte
	for {
		start := time.Now()
		var iter *gocql.Iter
		err := patiently(ctx, func(context.Context) error {
			iter = s.query(ctx, s.consistency, b).PageSize(rows).PageState(state).Iter()
			if iter.NumRows() > 0 {
				return nil
			}
			return Convert(ctx, iter.Close())
		})
		if err != nil {
			return err
		}
		if state, err = s.rows(ctx, b, 1, start, iter, visit); err != nil || len(state) == 0 {
			return err
		}
	}
}

// scanPage is how many rows a scan reads at once.
const scanPage = 1000

// Scan reads a partition or a table of any size, a page of the driver's at a time: for background work alone.
func (s *Session) Scan(ctx context.Context, b Bound, visit Visit) error {
	_, err := s.rows(ctx, b, 1, time.Now(), s.query(ctx, s.consistency, b).PageSize(scanPage).Iter(), visit)
	return err
}

// Ask makes a read of what is none of the domain's tables, of one page: no observer is told.
func (s *Session) Ask(ctx context.Context, text string, args ...any) *gocql.Iter {
	return s.ask(ctx, s.consistency, func(ctx context.Context) *gocql.Iter {
		return s.query(ctx, s.consistency, Bound{Statement: Statement{Text: text}, Args: args}).Iter()
	})
}

// query returns a read, which the driver may repeat.
func (s *Session) query(ctx context.Context, level gocql.Consistency, b Bound) *gocql.Query {
	return s.driver.Query(b.Text, b.Args...).WithContext(ctx).Consistency(level).RetryPolicy(readRetry)
}

// rows visits the rows of a read that began at start, and returns where the page after its first one begins.
func (s *Session) rows(
	ctx context.Context, b Bound, partitions int, start time.Time, iter *gocql.Iter, visit Visit,
) (next []byte, err error) {
	next = iter.PageState()
	rows, err := scanAll(iter, visit)
	s.observe(ctx, b.Table, blog.Read, partitions, rows, start, err)
	return next, Convert(ctx, err)
}

// scanAll visits rows, and closes the iterator however that ends.
func scanAll(iter *gocql.Iter, visit Visit) (rows int, err error) {
	defer iter.Close()
	scanner := iter.Scanner()
	for scanner.Next() {
		rows++
		if err := visit(scanner); err != nil {
			return rows, err
		}
	}
	return rows, scanner.Err()
}

// Write makes an unconditional write, or several in one batch: unlogged, for the journal is its log. Every entry has
// its write time, so a repetition is harmless.
func (s *Session) Write(ctx context.Context, entries ...Bound) error {
	entries, err := s.written(ctx, entries)
	if err != nil || len(entries) == 0 {
		return err
	}
	start := time.Now()
	if len(entries) == 1 {
		err = s.driver.Query(entries[0].Text, entries[0].Args...).WithContext(ctx).Consistency(s.consistency).Exec()
	} else {
		err = s.driver.ExecuteBatch(s.batch(ctx, entries))
	}
	s.observeWrite(ctx, entries, start, err, false)
	return Convert(ctx, err)
}

// written leaves out the copies in tables that are not written now.
func (s *Session) written(ctx context.Context, entries []Bound) ([]Bound, error) {
	moving := func(b Bound) bool { return b.Copy && b.Table.Moves() }
	if !slices.ContainsFunc(entries, moving) {
		return entries, nil
	}
	wanted := make([]Bound, 0, len(entries))
	for _, entry := range entries {
		if moving(entry) {
			if writes, err := s.writes(ctx, entry.Table); err != nil {
				return nil, err
			} else if !writes {
				continue
			}
		}
		wanted = append(wanted, entry)
	}
	return wanted, nil
}

func (s *Session) writes(ctx context.Context, table blog.Table) (bool, error) {
	if s.Moves == nil {
		return table.Declaration().Replaces == "", nil
	}
	return s.Moves.Writes(ctx, table)
}

// Reads returns the table that is read now in place of a table.
func (s *Session) Reads(ctx context.Context, table blog.Table) (blog.Table, error) {
	if s.Moves == nil || !table.Moves() {
		return table, nil
	}
	return s.Moves.Reads(ctx, table)
}

// WriteParts writes entries in as few batches as their size allows. The order does
// not matter and a repetition is harmless, so after an error it may be called again.
func (s *Session) WriteParts(ctx context.Context, entries []Bound) error {
	for len(entries) > 0 {
		part, others := Split(entries)
		if err := s.Write(ctx, part...); err != nil {
			return err
		}
		entries = others
	}
	return nil
}

// CompareAndSet makes a conditional batch in one partition of one table. Where it
// was refused, current holds what the conditions' columns hold. An error leaves
// the outcome unknown: the batch may have been applied, or be applied later.
func (s *Session) CompareAndSet(ctx context.Context, entries ...Bound) (applied bool, current map[string]any, err error) {
	start := time.Now()
	applied, current, err = s.executeCAS(s.batch(ctx, entries).SerialConsistency(s.serial))
	rows := len(entries)
	if err == nil && !applied {
		rows = 0
	}
	s.observe(ctx, entries[0].Table, blog.Conditional, 1, rows, start, err)
	return applied, current, Convert(ctx, err)
}

// executeCAS executes a conditional batch. The driver panics where it can't read the answer: the outcome is unknown.
func (s *Session) executeCAS(batch *gocql.Batch) (applied bool, current map[string]any, err error) {
	current = map[string]any{}
	defer func() {
		if cause := recover(); cause != nil {
			applied, err = false, fmt.Errorf("the answer to a conditional write can't be read: %v", cause)
		}
	}()
	applied, iter, err := s.driver.MapExecuteBatchCAS(batch, current)
	if iter != nil {
		err = errors.Join(err, iter.Close())
	}
	return applied, current, err
}

func (s *Session) batch(ctx context.Context, entries []Bound) *gocql.Batch {
	batch := s.driver.NewBatch(gocql.UnloggedBatch).WithContext(ctx).DefaultTimestamp(false)
	batch.SetConsistency(s.consistency)
	for _, entry := range entries {
		batch.Query(entry.Text, entry.Args...)
	}
	return batch
}

func (s *Session) observe(ctx context.Context, table blog.Table, kind blog.StatementKind, partitions, rows int, start time.Time, err error) {
	if s.observer == nil {
		return
	}
	s.observer.Statement(ctx, blog.Statement{
		Table: table, Kind: kind, Partitions: partitions, Rows: rows, Duration: time.Since(start), Err: Convert(ctx, err),
	})
}

// ObserveShare tells the observer of a command's share of a batch.
func (s *Session) ObserveShare(ctx context.Context, entries []Bound, start time.Time, err error) {
	if own, unknown := s.written(ctx, entries); unknown == nil {
		entries = own
	}
	s.observeWrite(ctx, entries, start, err, true)
}

// observeWrite tells the observer of an unconditional write, or of a share of one.
func (s *Session) observeWrite(ctx context.Context, entries []Bound, start time.Time, err error, share bool) {
	if s.observer == nil {
		return
	}
	st := blog.Touching(blog.Write, touched(entries), Convert(ctx, err))
	st.Duration, st.Share = time.Since(start), share
	s.observer.Statement(ctx, st)
}

// readRetry tries a read once more on the next host. The driver never retries a conditional
// write: a repetition without the rules of package counted could apply it twice.
var readRetry = &gocql.SimpleRetryPolicy{NumRetries: 1}
