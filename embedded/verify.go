package embedded

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

var (
	_ audit.Store  = (*Store)(nil)
	_ audit.Reader = (*auditReader)(nil)
)

// auditReader reads the store as it stood at one moment. A command is one commit, so that
// nothing is ever in flight but erasures. It is inside of the store until it is closed; a store that
// closes lets it read nothing more, and waits for that.
type auditReader struct {
	truths
	store   *Store
	moment  *pebble.Snapshot
	erasing map[blog.UserID]bool // whose erasures were under way at that moment
	leave   func()
}

// Audit is a method of [audit.Store]. There is one part: a range of keys is read
// faster than it could be shared out.
func (s *Store) Audit(ctx context.Context, _ int) (audit.Reader, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	a := &auditReader{store: s, leave: sync.OnceFunc(s.inside.leave)}
	a.erasing = s.erasures.around(func() { a.moment = s.db.NewSnapshot() })
	a.truths = truths{of: a}
	return a, nil
}

// Close gives the moment up.
func (a *auditReader) Close() error {
	defer a.leave()
	return a.moment.Close()
}

// Parts is a method of [audit.Reader].
func (a *auditReader) Parts() int { return 1 }

// Certain is a method of [audit.Reader]: a moment is certain.
func (a *auditReader) Certain() audit.Truths { return a.truths }

// Unfinished is a method of [audit.Reader].
func (a *auditReader) Unfinished(context.Context) (audit.Unfinished, error) {
	return audit.Unfinished{Users: a.erasing}, nil
}

// read is a method of [cellReader].
func (a *auditReader) read(ctx context.Context, _ *table, key []byte) (value string, err error) {
	if err := a.store.goesOn(ctx); err != nil {
		return "", err
	}
	defer func() {
		if cause := fatalCause(recover()); cause != nil {
			err = a.store.convert(cause)
		}
	}()
	value, err = lookUp(a.moment, key)
	return value, a.store.convert(err)
}

// each visits the cells of keys from lower on, below upper.
func (a *auditReader) each(ctx context.Context, lower, upper []byte, visit func(key, value []byte) error) error {
	goesOn := func() error { return a.store.goesOn(ctx) }
	err := goesOn()
	if err == nil {
		err = eachCell(a.moment, lower, upper, goesOn, visit)
	}
	return a.store.convert(err)
}

// eachIn visits the cells of a table.
func (a *auditReader) eachIn(ctx context.Context, t *table, visit func(parsedKey, string) error) error {
	return a.each(ctx, []byte{t.prefix}, []byte{t.prefix + 1}, func(key, value []byte) error {
		k, err := a.parse(t, key)
		if err != nil || k.cell == deadCell { // of a program before
			return err
		}
		return visit(k, string(value))
	})
}

// parse takes a key apart.
func (a *auditReader) parse(t *table, key []byte) (parsedKey, error) {
	k, ok := t.parse(key)
	switch {
	case !ok:
		return k, fmt.Errorf("%s: the key %x: %w", t.name, key, errKey)
	case !k.static && !t.has(k.cell) && !a.store.newer:
		return k, fmt.Errorf("%s: the key %x: %w", t.name, key, errCell)
	}
	return k, nil
}

// eachTruth visits the first cell of every row.
func (a *auditReader) eachTruth(ctx context.Context, t *table, visit func(key []any, value string) error) error {
	return a.eachIn(ctx, t, func(k parsedKey, value string) error {
		if k.static || k.cell != truthCell {
			return nil
		}
		return visit(k.values, value)
	})
}

// EachRow is a method of [audit.Reader]. Cells that can't be read make a row damaged.
func (a *auditReader) EachRow(ctx context.Context, name blog.Table, _ int, visit func(audit.Row) error) error {
	r := newRowReader(name)
	err := a.eachIn(ctx, r.table, func(k parsedKey, value string) error {
		return r.cell(k, value, visit)
	})
	if err != nil {
		return err
	}
	return r.end(visit)
}

// rowReader puts cells that come in the order of their keys together into rows.
type rowReader struct {
	table  *table
	groups map[groupKey]*blog.Group

	partition []any
	above     []blog.Copy // what stands above the rows of the partition
	damaged   string      // of that
	below     bool        // the partition has rows
	row       audit.Row
	begun     bool
}

type groupKey struct {
	cell   byte
	static bool
}

func newRowReader(name blog.Table) *rowReader {
	r := &rowReader{table: tables[name], groups: map[groupKey]*blog.Group{}}
	for _, g := range name.Groups() {
		r.groups[groupKey{g.Cell, g.Static()}] = g
	}
	return r
}

func (r *rowReader) cell(k parsedKey, value string, visit func(audit.Row) error) error {
	partition := k.values[:len(r.table.partition)]
	if r.partition == nil || !audit.SameValues(r.partition, partition) {
		if err := r.end(visit); err != nil {
			return err
		}
		r.partition, r.above, r.damaged, r.below = partition, nil, "", false
	}
	g := r.groups[groupKey{k.cell, k.static}]
	if k.static {
		if g != nil {
			r.above, r.damaged = r.take(g, partition, value, r.above, r.damaged)
		}
		return nil
	}
	if !r.begun || !audit.SameValues(r.row.Key, k.values) {
		if err := r.close(visit); err != nil {
			return err
		}
		r.row, r.begun, r.below = audit.Row{Key: k.values, Cells: append([]blog.Copy(nil), r.above...), Damaged: r.damaged}, true, true
	}
	if g != nil {
		r.row.Cells, r.row.Damaged = r.take(g, k.values, value, r.row.Cells, r.row.Damaged)
	}
	return nil
}

func (r *rowReader) take(g *blog.Group, key []any, value string, cells []blog.Copy, damaged string) ([]blog.Copy, string) {
	f := decode(value)
	values := make([]any, len(g.Columns))
	for i, c := range g.Columns {
		if i >= len(values)-g.Added() && f.unread == "" {
			values[i] = new(fields).typed(c.Type) // zero
		} else {
			values[i] = f.typed(c.Type)
		}
	}
	if f.end() != nil {
		return cells, strings.Join(g.Columns.Names(), ", ") + " can't be read"
	}
	return append(cells, blog.Copy{Group: g, Key: key, Values: values, Stamp: f.stamp}), damaged
}

// close visits the row that is complete.
func (r *rowReader) close(visit func(audit.Row) error) error {
	if !r.begun {
		return nil
	}
	r.begun = false
	return visit(r.row)
}

// end visits what is left of a partition.
func (r *rowReader) end(visit func(audit.Row) error) error {
	if err := r.close(visit); err != nil {
		return err
	}
	if r.below || len(r.above) == 0 && r.damaged == "" {
		return nil
	}
	r.below = true
	return visit(audit.Row{Key: r.partition, Cells: r.above, Damaged: r.damaged})
}

// Row is a method of [audit.Reader].
func (a *auditReader) Row(ctx context.Context, name blog.Table, key []any) (audit.Row, error) {
	r := newRowReader(name)
	found := audit.Row{Key: key}
	partition := r.table.partitionKey(key[:len(r.table.partition)]...)
	whole := len(key) > len(r.table.partition) || len(r.table.clustering) == 0
	lower, upper := partition, with(partition, endMark)
	if whole {
		row := r.table.appendRowKey(nil, key...)
		lower, upper = row, with(row, pastCells)
	}
	err := a.each(ctx, lower, upper, func(k, value []byte) error {
		parsed, err := a.parse(r.table, k)
		if err != nil {
			return err
		}
		if !whole && !parsed.static {
			found.Below = true
			return errEnough
		}
		if g := r.groups[groupKey{parsed.cell, parsed.static}]; g != nil {
			found.Cells, found.Damaged = r.take(g, parsed.values[:len(g.Key)], string(value), found.Cells, found.Damaged)
		}
		return nil
	})
	return found, err
}

// Tally is a method of [audit.Reader].
func (a *auditReader) Tally(ctx context.Context, name blog.Table, post blog.PostID) (t audit.Tally, err error) {
	counted := tables[name]
	if t.Count, err = a.count(ctx, counted, post); err != nil {
		return t, err
	}
	var last []any
	partition := counted.partitionKey(post)
	err = a.each(ctx, with(partition, rowMark), with(partition, endMark), func(key, value []byte) error {
		k, err := a.parse(counted, key)
		if err != nil {
			return err
		}
		if last != nil && audit.SameValues(last, k.values) {
			return nil
		}
		last = k.values
		stands, err := stands(counted, k, string(value))
		if stands {
			t.Rows++
		} else {
			t.Strays++
		}
		return err
	})
	return t, err
}

// stands reports whether a counted table's row counts, by its first cell.
func stands(counted *table, k parsedKey, value string) (bool, error) {
	if k.cell != truthCell || counted == commentsByPost {
		return k.cell == truthCell, nil
	}
	c, err := decodeClaim(value)
	return c.stands, err
}
