package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"broadsheet/blog"

	"github.com/cockroachdb/pebble/v2"
)

// view is one partition as it stood at one moment: whatever is read from it
// agrees. It is closed by defer, with the error that its reader returns.
type view struct {
	store  *Store
	ctx    context.Context
	table  *table
	prefix []byte // of the partition's keys; what follows it in its memory is for keys to seek
	rest   int    // how long the key of a row's cell is after the prefix
	it     *pebble.Iterator
	leave  func()
	began  time.Time
	read   int // rows
	dead   deadRun
	gaps   *gapReader // once it has come upon dead rows
	values values
	err    error
}

// query opens a view of one partition for a query.
func (s *Store) query(ctx context.Context, t *table, partition ...any) (*view, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.view(ctx, t, partition...)
	if err != nil {
		leave()
		return nil, s.convert(err)
	}
	v.leave = leave
	return v, nil
}

func (s *Store) view(ctx context.Context, t *table, partition ...any) (*view, error) {
	v := &view{store: s, ctx: ctx, table: t, prefix: t.partitionKey(partition...), rest: t.rest(), leave: func() {}, began: time.Now()}
	upper := append(v.prefix, endMark)
	var err error
	v.it, err = s.db.NewIter(&pebble.IterOptions{LowerBound: upper[:len(v.prefix)], UpperBound: upper})
	return v, err
}

// close ends the view and puts what went wrong into err, converted.
func (v *view) close(err *error) {
	defer v.leave()
	*err = ended(func() error { return errors.Join(v.gaps.close(), v.it.Close()) }, recover(), *err)
	v.notice()
	*err = v.store.convert(*err)
	v.store.observe(v.ctx, v.began, blog.Statement{Table: v.table.name, Kind: blog.Read, Partitions: 1, Rows: v.read, Err: fault(*err)})
}

// ended closes the iterators of a reading that ends with an error or without, or with a
// panic, as recover returns it. One that is not Pebble's goes on when they are closed. After
// Pebble's last words they are left as they are: the database is not touched any more.
func ended(closeAll func() error, panicked any, err error) error {
	if last, ok := panicked.(lastWords); ok {
		return last.cause
	}
	closing := closeAll()
	if panicked != nil {
		panic(panicked)
	}
	if err == nil {
		err = closing
	}
	return err
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

// row is one row of a partition. It is valid until the next one, its cells as long as
// anybody has them.
type row struct {
	clustering []byte    // the columns, as they are in the key
	cells      [6]string // empty: it lacks
	begun      bool
	dead       bool // it was deleted, and stays
}

// span is a range of a partition's rows: from lower, below upper; nil: all there are.
type span struct{ lower, upper []byte }

// at returns the key of a row of the partition.
func (v *view) at(clustering ...any) []byte {
	return v.table.appendRow(append(make([]byte, 0, 64), v.prefix...), clustering...)
}

// static returns a cell above the rows, empty where it lacks.
func (v *view) static(cell byte) (value string) {
	key := append(v.prefix, staticMark, cell)
	if v.it.SeekGE(key) && bytes.Equal(v.it.Key(), key) {
		value = v.value()
	} else {
		v.err = v.it.Error()
	}
	return value
}

// value returns the value where the iterator stands.
func (v *view) value() string {
	value, err := v.it.ValueAndErr()
	if err != nil {
		v.err = err
	}
	return v.values.keep(value)
}

// rows walks the rows of a span in the order of their keys, or against it. A row
// without the cell that makes it is none. The reader looks at v.err afterwards.
func (v *view) rows(s span, backward bool) iter.Seq[*row] {
	return func(yield func(*row) bool) {
		if v.err != nil || s.empty() {
			return
		}
		var r row
		for there := v.first(s, backward); there; {
			key := v.it.Key()
			if v.err = v.check(key); v.err != nil {
				return
			}
			if key[len(v.prefix)] != rowMark || !s.holds(key, backward) {
				break
			}
			clustering, cell := key[len(v.prefix)+1:len(key)-1], key[len(key)-1]
			if r.begun && !bytes.Equal(clustering, r.clustering) {
				if !v.complete(&r, yield) {
					return
				}
				r = row{clustering: r.clustering}
				var passed bool
				if there, passed = v.pass(r.clustering, backward); passed {
					continue
				}
			}
			r.begun, r.clustering = true, append(r.clustering[:0], clustering...)
			r.dead = r.dead || cell == deadCell
			if int(cell) < len(r.cells) {
				r.cells[cell] = v.value()
			}
			if v.err != nil {
				return
			}
			there = v.move(backward)
		}
		if v.err == nil {
			v.err = v.it.Error()
		}
		if v.err == nil && r.begun {
			v.complete(&r, yield)
		}
	}
}

// check returns an error for a key that is no cell of a row, nor one above the rows: whoever
// reads ids from it could not.
func (v *view) check(key []byte) error {
	switch n := len(key) - len(v.prefix); {
	case n == 2 && key[len(v.prefix)] == staticMark:
	case n == v.rest && key[len(v.prefix)] == rowMark:
	default:
		return fmt.Errorf("%s: the key %x: %w", v.table.name, key, errKey)
	}
	return nil
}

// first moves to the first cell of a span, or the last; the span's other end is not
// looked at.
func (v *view) first(s span, backward bool) bool {
	switch {
	case backward && s.upper == nil:
		return v.it.Last()
	case backward:
		return v.it.SeekLT(s.upper)
	case s.lower == nil:
		return v.it.SeekGE(append(v.prefix, rowMark))
	default:
		return v.it.SeekGE(s.lower)
	}
}

func (v *view) move(backward bool) bool {
	if backward {
		return v.it.Prev()
	}
	return v.it.Next()
}

// empty reports whether the span has no keys.
func (s span) empty() bool {
	return s.lower != nil && s.upper != nil && bytes.Compare(s.lower, s.upper) >= 0
}

// holds reports whether a walk that came to a key is still in the span.
func (s span) holds(key []byte, backward bool) bool {
	if backward {
		return bytes.Compare(key, s.lower) >= 0
	}
	return s.upper == nil || bytes.Compare(key, s.upper) < 0
}

const rowsBetweenChecks = 1_000 // of whether the caller has left

func (v *view) complete(r *row, yield func(*row) bool) bool {
	if v.read++; v.read%rowsBetweenChecks == 0 {
		if v.err = v.ctx.Err(); v.err != nil {
			return false
		}
	}
	if r.cells[truthCell] != "" {
		v.dead.over()
		return yield(r)
	}
	v.dead.saw(r)
	return true
}

// list is a list of rows that a page is asked of.
type list[K, T any] struct {
	span        span
	oldestFirst bool // against the order of the keys
	at          func(K) []byte
	item        func(*row) (T, error)
}

// page reads the rows of a request, one more than its limit.
func page[K, T any](v *view, l list[K, T], request blog.PageRequest[K]) (blog.Page[T], error) {
	after, before := request.After, request.Before
	if l.oldestFirst {
		after, before = before, after
	}
	if after != nil {
		l.span.lower = later(l.span.lower, with(l.at(*after), pastCells))
	}
	if before != nil {
		l.span.upper = earlier(l.span.upper, l.at(*before))
	}
	items := make([]T, 0, request.Limit+1)
	for r := range v.rows(l.span, request.Backward != l.oldestFirst) {
		item, err := l.item(r)
		if err != nil {
			return blog.Page[T]{}, err
		}
		items = append(items, item)
		if len(items) > request.Limit {
			break
		}
	}
	return blog.NewPage(request, items), v.err
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

// absent returns err, or what kept the rows from being read.
func (v *view) absent(err error) error {
	if v.err != nil {
		return v.err
	}
	return err
}
