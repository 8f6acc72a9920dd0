package embedded

import (
	"bytes"
	"context"
	"iter"
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
	prefix []byte // of the partition's keys
	it     *pebble.Iterator
	leave  func()
	began  time.Time
	read   int // rows
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
	v := &view{store: s, ctx: ctx, table: t, prefix: t.partitionKey(partition...), leave: func() {}, began: time.Now()}
	var err error
	v.it, err = s.db.NewIter(&pebble.IterOptions{LowerBound: v.prefix, UpperBound: with(v.prefix, endMark)})
	return v, err
}

// close ends the view and puts what went wrong into err, converted.
func (v *view) close(err *error) {
	defer v.leave()
	if cause := heard(recover()); cause != nil {
		*err = cause
	} else if closing := v.it.Close(); *err == nil {
		*err = closing
	}
	*err = v.store.convert(*err)
	v.store.observe(v.ctx, v.began, blog.Statement{Table: v.table.name, Kind: blog.Read, Partitions: 1, Rows: v.read, Err: fault(*err)})
}

// row is one row of a partition. It is valid until the next one.
type row struct {
	clustering []byte // the columns, as they are in the key
	cells      [6][]byte
	buffer     []byte
}

func (r *row) reset() { *r = row{clustering: r.clustering[:0], buffer: r.buffer[:0]} }

func (r *row) set(cell byte, value []byte) {
	start := len(r.buffer)
	r.buffer = append(r.buffer, value...)
	if int(cell) < len(r.cells) {
		r.cells[cell] = r.buffer[start:len(r.buffer):len(r.buffer)]
	}
}

// span is a range of keys: from lower, below upper.
type span struct{ lower, upper []byte }

// all is the span of the partition's rows.
func (v *view) all() span { return span{with(v.prefix, rowMark), with(v.prefix, endMark)} }

// at returns the key of a row of the partition.
func (v *view) at(clustering ...any) []byte {
	return v.table.appendRow(bytes.Clone(v.prefix), clustering...)
}

// static returns a cell above the rows, nil where it lacks.
func (v *view) static(cell byte) []byte {
	key := with(v.prefix, staticMark, cell)
	if v.it.SeekGE(key) && bytes.Equal(v.it.Key(), key) {
		return bytes.Clone(v.it.Value())
	}
	return nil
}

// rows walks the rows of a span in the order of their keys, or against it. A row
// without the cell that makes it is none. The reader looks at v.err afterwards.
func (v *view) rows(s span, backward bool) iter.Seq[*row] {
	return func(yield func(*row) bool) {
		if bytes.Compare(s.lower, s.upper) >= 0 {
			return
		}
		v.it.SetBounds(s.lower, s.upper)
		move, next := v.it.First, v.it.Next
		if backward {
			move, next = v.it.Last, v.it.Prev
		}
		var r row
		for move() {
			move = next
			key := v.it.Key()
			clustering, cell := key[len(v.prefix)+1:len(key)-1], key[len(key)-1]
			if len(r.buffer) > 0 && !bytes.Equal(clustering, r.clustering) {
				if !v.complete(&r, yield) {
					return
				}
				r.reset()
			}
			r.clustering = append(r.clustering[:0], clustering...)
			var value []byte
			if value, v.err = v.it.ValueAndErr(); v.err != nil {
				return
			}
			r.set(cell, value)
		}
		if v.err = v.it.Error(); v.err == nil && len(r.buffer) > 0 {
			v.complete(&r, yield)
		}
	}
}

const rowsBetweenChecks = 1_000 // of whether the caller has left

func (v *view) complete(r *row, yield func(*row) bool) bool {
	if v.read++; v.read%rowsBetweenChecks == 0 {
		if v.err = v.ctx.Err(); v.err != nil {
			return false
		}
	}
	return r.cells[truthCell] == nil || yield(r)
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

func earlier(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
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
