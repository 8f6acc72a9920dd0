package embedded

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// tx is one command while it holds the writer's lock: it reads the truths, which
// no other command can change meanwhile, and gathers all that it writes in one batch.
type tx struct {
	*Store
	truths
	ctx     context.Context
	batch   *pebble.Batch
	commits bool
	deleted int    // rows of lists
	refusal error  // to be committed, then returned
	fault   error  // of what was read in order to write
	oldest  []byte // what oldestKey becomes with the commit

	change    *blog.Change // the commit appends to the change log; nil: none
	retention retention    // what becomes of that log's
}

// command runs decide under the writer's lock and commits what it wrote. It returns
// when that is on disk, with all that decide saw of commands before it:
//
//	command 1   decide ─ apply ─┐ wait for the log ──────────▶ reply
//	command 2                   └ decide ─ apply ─ wait ─────▶ reply
//	                              (sees 1)         └ one sync serves both
//
// Commits enter the log in the order of their decisions, so a crash that loses
// one loses all that built on it, and those were not acknowledged.
func (s *Store) command(ctx context.Context, decide func(*tx) error) error {
	began := time.Now()
	tx, err := s.decide(ctx, decide)
	if err != nil || !tx.commits {
		return s.convert(err)
	}
	var writes []blog.TableCost
	if s.observer != nil {
		writes = s.touched.by(tx.batch)
	}
	err = s.health.aside(ctx, func() error {
		defer s.inside.leave()
		return s.commit(tx)
	})
	s.observe(ctx, began, blog.Touching(blog.Write, writes, s.convert(err)))
	if err != nil {
		return s.convert(err)
	}
	return tx.refusal
}

// carryOut runs a command that may be refused before it begins, and returns what decide does.
func carryOut[C interface{ Validate() error }, T any](ctx context.Context, s *Store, c C, decide func(*tx, C) (T, error)) (made T, err error) {
	if err := c.Validate(); err != nil {
		return made, err
	}
	err = s.command(ctx, func(tx *tx) error {
		made, err = decide(tx, c)
		return err
	})
	return made, err
}

// decide returns a transaction; it holds the writer's lock where there is something to commit, and only then.
func (s *Store) decide(ctx context.Context, decide func(*tx) error) (*tx, error) {
	if err := s.lockWriter(ctx); err != nil {
		return nil, err
	}
	tx := &tx{Store: s, truths: truths{s, &s.scratch}, ctx: ctx, batch: s.db.NewBatch(), oldest: s.oldestKey}
	defer func() {
		if !tx.commits {
			_ = tx.batch.Close()
			<-s.writer
			s.inside.leave()
		}
	}()
	err := decide(tx)
	if err == nil {
		err = cmp.Or(tx.fault, tx.appendChange())
	}
	if err != nil {
		return nil, err
	}
	if tx.batch.Empty() && s.unsynced.Load() > 0 {
		// An answer without a write may show another's commit: a record of
		// its own in the log, and so a sync, covers that one.
		_ = tx.batch.LogData(nil, nil)
	}
	tx.commits = !tx.batch.Empty()
	return tx, nil
}

// commit puts a batch into the log and the memory, lets the next command in, and waits until the batch is on disk. The
// store dies of a panic: what that left in memory is not known, and the writer's lock may be held.
func (s *Store) commit(tx *tx) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = s.health.die(errors.New(blog.Panicked(cause).Error()))
		}
	}()
	if err := s.db.ApplyNoSyncWait(tx.batch, pebble.Sync); err != nil {
		<-s.writer
		return err
	}
	if s.deleted += tx.deleted; s.deleted >= flushedAfter {
		s.deleted = 0
		_, _ = s.db.AsyncFlush() // an error means that the database is read-only, which it never is
	}
	s.unsynced.Add(1)
	s.oldestKey = tx.oldest
	s.changes.apply(tx)
	<-s.writer
	if err := tx.batch.SyncWait(); err != nil {
		return s.health.die(err)
	}
	s.unsynced.Add(-1)
	s.changes.onDisk(tx)
	return tx.batch.Close()
}

// flushedAfter is the number of deleted rows of lists after which the memory is flushed. A page steps over each of
// their cells while they are in memory; a file with as many tombstones Pebble compacts at once.
const flushedAfter = 2_500

// lockWriter lets a call in, and waits for the writer's lock. <-s.writer and s.inside.leave must follow.
func (s *Store) lockWriter(ctx context.Context) error {
	err := s.enter(ctx)
	if err != nil {
		return err
	}
	select {
	case s.writer <- struct{}{}:
		if err = s.refusal(); err != nil {
			<-s.writer
		}
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.health.dead:
		err = s.health.cause()
	}
	if err != nil {
		s.inside.leave()
	}
	return err
}

// get reads one cell of a row, empty where it lacks.
func (tx *tx) get(t *table, cell byte, key ...any) (string, error) {
	return tx.truths.get(tx.ctx, t, cell, key...)
}

// walk visits the rows of one partition.
func (tx *tx) walk(t *table, partition any, visit func(*row) error) (err error) {
	snap, err := tx.snapshot(tx.ctx, t, partition)
	if err != nil {
		return err
	}
	defer snap.close(&err)
	for r := range snap.rows(span{}, false) {
		if err := visit(r); err != nil {
			return err
		}
	}
	return snap.err
}

// scratch is memory for the keys and values of one command after the other: they are
// used before the next one is asked for. The batch has copies of its own.
type scratch struct {
	key, value []byte
	touched    touched
}

func (s *scratch) cellKey(t *table, cell byte, values ...any) []byte {
	if s == nil {
		return t.cellKey(cell, values...)
	}
	s.key = t.appendCell(s.key[:0], cell, values...)
	return s.key
}

func (s *scratch) encode(stamp int64, fields ...any) []byte {
	s.value = appendValue(s.value[:0], stamp, fields...)
	return s.value
}

// put writes one cell. What a batch is given fails, if it does, when it is applied.
func (tx *tx) put(t *table, key, value []byte) {
	if tx.newer {
		replaced, err := tx.read(tx.ctx, t, key)
		tx.fault = cmp.Or(tx.fault, err)
		value = withUnknown(value, replaced)
	}
	tx.putNew(key, value)
}

// putNew writes one cell of which nothing is kept that stands there.
func (tx *tx) putNew(key, value []byte) {
	_ = tx.batch.Set(key, value, nil)
}

// putTruth writes the cell of a truth.
func (tx *tx) putTruth(t *table, value []byte, key ...any) {
	tx.put(t, tx.cellKey(t, truthCell, key...), value)
}

// putCount writes the count above the rows of a partition.
func (tx *tx) putCount(t *table, parent blog.UUID, c blog.Count) {
	tx.put(t, tx.cellKey(t, countCell, parent), tx.encode(c.Stamp, c.N))
}

// deleteRow deletes every cell of a row.
func (tx *tx) deleteRow(t *table, key ...any) {
	row := tx.cellKey(t, 1, key...)
	for cell := byte(1); cell <= t.cells; cell++ {
		row[len(row)-1] = cell
		_ = tx.batch.Delete(row, nil)
	}
}

// deletePartition deletes the rows of a partition and what stands above them.
func (tx *tx) deletePartition(t *table, partition ...any) {
	key := t.partitionKey(partition...)
	_ = tx.batch.DeleteRange(key, with(key, endMark), nil)
}
