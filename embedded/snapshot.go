package embedded

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// snapshot is one partition as it stood at one moment: all that is read from it
// agrees. It is closed by defer, with the error that its reader returns.
type snapshot struct {
	store  *Store
	ctx    context.Context
	table  *table
	prefix []byte // of the partition's keys; what follows it in its memory is for keys to seek
	memory [64]byte
	end    [64]byte // memory for the partition's end
	it     *pebble.Iterator
	inside bool // it was entered for
	began  time.Time
	read   int // rows
	values values
	err    error
}

// query opens a snapshot of one partition for a query.
func (s *Store) query(ctx context.Context, t *table, partition ...any) (*snapshot, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	if err := s.building.refuses(t); err != nil {
		s.inside.leave()
		return nil, err
	}
	snap, err := s.snapshot(ctx, t, partition...)
	if err != nil {
		s.inside.leave()
		return nil, s.convert(err)
	}
	snap.inside = true
	return snap, nil
}

func (s *Store) snapshot(ctx context.Context, t *table, partition ...any) (*snapshot, error) {
	snap := &snapshot{store: s, ctx: ctx, table: t, began: time.Now()}
	snap.prefix = t.appendPartition(snap.memory[:0], partition...)
	upper := append(append(snap.end[:0], snap.prefix...), endMark)
	var err error
	snap.it, err = s.db.NewIter(&pebble.IterOptions{LowerBound: snap.prefix, UpperBound: upper})
	return snap, err
}

// close ends the snapshot and puts what went wrong into err, converted.
func (snap *snapshot) close(err *error) {
	if snap.inside {
		defer snap.store.inside.leave()
	}
	closing := snap.it.Close()
	*err = snap.store.convert(cmp.Or(*err, closing))
	snap.store.observe(snap.ctx, snap.began, blog.Statement{Table: snap.table.name, Kind: blog.Read, Partitions: 1, Rows: snap.read, Err: fault(*err)})
}

// values are what is read from an iterator and outlives it: texts in memory that they
// share, for a page is kept and forgotten as a whole.
type values struct {
	memory strings.Builder
	next   int // how much is taken where it does not suffice
}

const (
	leastValues = 512
	mostValues  = 16 << 10
)

func (v *values) keep(value []byte) string {
	if v.memory.Cap()-v.memory.Len() < len(value) {
		v.next = min(max(2*v.next, leastValues), mostValues)
		v.memory = strings.Builder{}
		v.memory.Grow(max(v.next, len(value)))
	}
	start := v.memory.Len()
	v.memory.Write(value)
	return v.memory.String()[start:]
}

// row is one row of a partition. It is valid until the next one, its cells for ever.
type row struct {
	table      *table
	clustering []byte    // the columns, as they are in the key
	cells      []string  // empty: it lacks
	few        [6]string // memory for them, where it suffices
	begun      bool
}

// columns reads the columns that the row is ordered by.
func (r *row) columns() columnReader { return columnReader{r.table.clustering, r.clustering} }

// id returns the first column that the row is ordered by, which is an id.
func (r *row) id() blog.UUID {
	columns := r.columns()
	return columns.take()
}

// span is a range of a partition's rows: from lower, below upper; nil: all there are.
type span struct{ lower, upper []byte }

// at returns what the keys of a row of the partition begin with, or of all rows that have
// these values in their first clustering columns.
func (snap *snapshot) at(clustering ...any) []byte {
	return snap.table.appendRows(append(make([]byte, 0, 64), snap.prefix...), clustering...)
}

// under returns the rows that have these values in their first clustering columns.
func (snap *snapshot) under(clustering ...any) span {
	rows := snap.at(clustering...)
	return span{rows, after(rows)}
}

// static returns a cell above the rows, empty where it lacks.
func (snap *snapshot) static(cell byte) string {
	key := append(snap.prefix, staticMark, cell)
	if snap.it.SeekGE(key) && bytes.Equal(snap.it.Key(), key) {
		return snap.value()
	}
	snap.err = snap.it.Error()
	return ""
}

// value returns the value where the iterator stands.
func (snap *snapshot) value() string {
	value, err := snap.it.ValueAndErr()
	if err != nil {
		snap.err = err
	}
	return snap.values.keep(value)
}

// rows walks the rows of a span in the order of their keys, or against it. A row
// without the cell that makes it is none. The reader looks at snap.err afterwards.
func (snap *snapshot) rows(s span, backward bool) iter.Seq[*row] {
	return func(yield func(*row) bool) {
		first, next := snap.it.First, snap.it.Next
		if backward {
			first, next = snap.it.Last, snap.it.Prev
		}
		r := row{table: snap.table}
		if r.cells = r.few[:]; int(snap.table.cells) >= len(r.few) {
			r.cells = make([]string, snap.table.cells+1)
		}
		for there := snap.err == nil && snap.bound(s) && first(); there; there = next() {
			key := snap.it.Key()
			if len(key) != len(snap.prefix)+snap.table.clusteringLength(key[min(len(key), len(snap.prefix)+1):])+2 {
				snap.err = fmt.Errorf("%s: the key %x: %w", snap.table.name, key, errKey)
				return
			}
			clustering, cell := key[len(snap.prefix)+1:len(key)-1], key[len(key)-1]
			if r.begun && !bytes.Equal(clustering, r.clustering) {
				if !snap.complete(&r, yield) {
					return
				}
				clear(r.cells)
			}
			r.begun, r.clustering = true, append(r.clustering[:0], clustering...)
			switch {
			case snap.table.has(cell):
				r.cells[cell] = snap.value()
			case !snap.store.newer: // a newer program may have given the table another cell
				snap.err = fmt.Errorf("%s: the key %x: %w", snap.table.name, key, errCell)
			}
			if snap.err != nil {
				return
			}
		}
		if snap.err = cmp.Or(snap.err, snap.it.Error()); snap.err == nil && r.begun {
			snap.complete(&r, yield)
		}
	}
}

// bound keeps the iterator within a span. It is false where nothing can be in that.
func (snap *snapshot) bound(s span) bool {
	if s.lower == nil {
		s.lower = append(snap.prefix, rowMark)
	}
	if s.upper == nil {
		s.upper = append(append(snap.end[:0], snap.prefix...), endMark)
	}
	if bytes.Compare(s.lower, s.upper) >= 0 {
		return false
	}
	snap.it.SetBounds(s.lower, s.upper)
	return true
}

const rowsBetweenChecks = 1_000 // of whether the caller has left

func (snap *snapshot) complete(r *row, yield func(*row) bool) bool {
	if snap.read++; snap.read%rowsBetweenChecks == 0 {
		snap.err = snap.ctx.Err()
	}
	return snap.err == nil && (r.cells[truthCell] == "" || yield(r))
}

func with(key []byte, more ...byte) []byte { return append(bytes.Clone(key), more...) }

func later(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

// earlier is the earlier upper end, of which nil is the last.
func earlier(a, b []byte) []byte {
	if a == nil || bytes.Compare(a, b) > 0 {
		return b
	}
	return a
}
