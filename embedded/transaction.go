package embedded

import (
	"bytes"
	"context"
	"errors"
	"time"

	"broadsheet/blog"

	"github.com/cockroachdb/pebble/v2"
)

// tx is one command while it holds the writer's lock: it reads the truths, which
// nobody else can change meanwhile, and gathers all that it writes in one batch.
type tx struct {
	*Store
	ctx        context.Context
	batch      *pebble.Batch
	first      blog.Table
	rows       int
	partitions map[string]struct{}
	refusal    error // to be committed, then returned
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
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	began := time.Now()
	tx, number, err := s.decide(ctx, decide)
	if tx == nil {
		return s.convert(err)
	}
	if number > 0 {
		err = s.synced(tx, number)
		s.observe(ctx, began, blog.Statement{Table: tx.first, Kind: blog.Write, Partitions: len(tx.partitions), Rows: tx.rows, Err: err})
	}
	if err != nil {
		return s.convert(err)
	}
	return tx.refusal
}

// decide returns the transaction and the number of its commit, 0 where all that
// it depends on is on disk already.
func (s *Store) decide(ctx context.Context, decide func(*tx) error) (*tx, uint64, error) {
	if err := s.lockWriter(ctx); err != nil {
		return nil, 0, err
	}
	defer func() { <-s.writer }()
	tx := &tx{Store: s, ctx: ctx, batch: s.db.NewBatch(), partitions: map[string]struct{}{}}
	if err := tx.run(decide); err != nil {
		tx.batch.Close()
		return nil, 0, err
	}
	if tx.batch.Empty() {
		if s.durable.Load() >= s.applied {
			tx.batch.Close()
			return tx, 0, nil
		}
		// An answer without a write may tell of another's commit: a record of
		// its own in the log, and so a sync, covers that one.
		tx.batch.LogData(nil, nil)
	}
	if err := s.apply(tx.batch); err != nil {
		return nil, 0, err
	}
	s.applied++
	return tx, s.applied, nil
}

func (s *Store) lockWriter(ctx context.Context) error {
	select {
	case s.writer <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.health.dead:
		return s.health.cause()
	}
	if err := s.health.refusal(); err != nil {
		<-s.writer
		return unavailable(err)
	}
	return nil
}

// reset forgets what was written.
func (tx *tx) reset() {
	tx.batch.Reset()
	tx.first, tx.rows = "", 0
	clear(tx.partitions)
}

// run calls decide; what Pebble says with its last words is an error.
func (tx *tx) run(decide func(*tx) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			words, ok := r.(lastWords)
			if !ok {
				panic(r)
			}
			err = words.cause
		}
	}()
	return decide(tx)
}

// apply puts a batch into the log and the memory. Where Pebble can't, it panics:
// the store is dead then.
func (s *Store) apply(batch *pebble.Batch) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = s.health.die(panicked(r))
		}
	}()
	return s.db.ApplyNoSyncWait(batch, pebble.Sync)
}

// synced waits until a commit is on disk. A log that could not be written is the
// end: what queries see may not be there after a restart.
func (s *Store) synced(tx *tx, number uint64) error {
	if err := tx.batch.SyncWait(); err != nil {
		return s.health.die(err)
	}
	for {
		durable := s.durable.Load()
		if durable >= number || s.durable.CompareAndSwap(durable, number) {
			return tx.batch.Close()
		}
	}
}

// get reads one cell of a row, nil where it lacks.
func (tx *tx) get(t *table, cell byte, key ...any) ([]byte, error) {
	return tx.value(t, t.cellKey(cell, key...))
}

// count reads the count above the rows of a partition.
func (tx *tx) count(t *table, post blog.PostID) (blog.Count, error) {
	value, err := tx.value(t, t.staticKey(countCell, post))
	if err != nil {
		return blog.Count{}, err
	}
	return decodeCount(value)
}

func (tx *tx) value(t *table, key []byte) (value []byte, err error) {
	began := time.Now()
	rows := 0
	found, closer, err := tx.db.Get(key)
	switch {
	case err == nil:
		value, rows = bytes.Clone(found), 1
		err = closer.Close()
	case errors.Is(err, pebble.ErrNotFound):
		err = nil
	}
	tx.observe(tx.ctx, began, blog.Statement{Table: t.name, Kind: blog.Read, Partitions: 1, Rows: rows, Err: err})
	return value, err
}

// walk visits the rows of one partition.
func (tx *tx) walk(t *table, partition any, visit func(*row) error) (err error) {
	v, err := tx.view(tx.ctx, t, partition)
	if err != nil {
		return err
	}
	defer v.close(&err)
	for r := range v.rows(v.all(), false) {
		if err := visit(r); err != nil {
			return err
		}
	}
	return v.err
}

// put writes one cell.
func (tx *tx) put(t *table, key, value []byte) {
	tx.writes(t, key)
	tx.batch.Set(key, value, nil)
}

// putTruth writes the cell of a truth.
func (tx *tx) putTruth(t *table, value []byte, key ...any) {
	tx.put(t, t.cellKey(truthCell, key...), value)
}

// putCount writes the count above the rows of a partition.
func (tx *tx) putCount(t *table, post blog.PostID, c blog.Count) {
	tx.put(t, t.staticKey(countCell, post), encode(c.Stamp, c.N))
}

// deleteRow deletes every cell of a row.
func (tx *tx) deleteRow(t *table, key ...any) {
	row := t.rowKey(key...)
	tx.writes(t, row)
	for cell := byte(1); cell <= t.cells; cell++ {
		tx.batch.Delete(with(row, cell), nil)
	}
}

// deletePartition deletes the rows of a partition and what stands above them.
func (tx *tx) deletePartition(t *table, partition ...any) {
	key := t.partitionKey(partition...)
	tx.writes(t, key)
	tx.batch.DeleteRange(key, with(key, endMark), nil)
}

// writes counts what is written, for the observer.
func (tx *tx) writes(t *table, key []byte) {
	if tx.first == "" {
		tx.first = t.name
	}
	tx.rows++
	if tx.observer != nil {
		tx.partitions[string(key[:t.partitionLength(key)])] = struct{}{}
	}
}
