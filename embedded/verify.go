package embedded

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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

// auditReader reads the store as it stood at one moment. A command is one commit, so that nothing is ever in flight but
// erasures, and posts on their way to homes. It is inside of the store until it is closed; a store that closes lets it
// read nothing more, and waits for that.
type auditReader struct {
	truths
	store   *Store
	moment  *pebble.Snapshot
	erasing map[blog.UserID]bool // whose erasures were under way at that moment
	unbuilt []blog.Table         // what was not filled yet then
	leave   func()
}

// Audit is a method of [audit.Store]. There is one part: a range of keys is read
// faster than it could be shared out.
func (s *Store) Audit(ctx context.Context, _ int) (audit.Reader, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	a := &auditReader{store: s, unbuilt: s.building.tables(), leave: sync.OnceFunc(s.inside.leave)}
	a.erasing = s.erasures.around(func() { a.moment = s.db.NewSnapshot() })
	a.truths = truths{of: a}
	return a, nil
}

// Close gives the moment up.
func (a *auditReader) Close() error {
	defer a.leave()
	return a.moment.Close()
}

func (a *auditReader) Parts() int { return 1 }

// Holds is a method of [audit.Reader].
func (a *auditReader) Holds(table blog.Table) bool {
	return table.Declaration().Replaces == "" && !slices.Contains(a.unbuilt, table)
}

// Certain is a method of [audit.Reader]: a moment is certain.
func (a *auditReader) Certain() audit.Truths { return a.truths }

func (a *auditReader) Unfinished(ctx context.Context) (audit.Unfinished, error) {
	u := audit.Unfinished{Users: a.erasing, Parents: map[blog.UUID]bool{}}
	err := a.eachRow(ctx, homeWaits, []byte{homeWaits.prefix}, []byte{homeWaits.prefix + 1}, func(c cells) error {
		u.Parents[parentOf(c.key)] = true
		return nil
	})
	return u, err
}

func (a *auditReader) read(ctx context.Context, _ *table, key []byte) (value string, err error) {
	if err := a.store.goesOn(ctx); err != nil {
		return "", err
	}
	value, err = lookUp(a.moment, key)
	return value, a.store.convert(err)
}

// cells are those of one row, or those above the rows of one partition.
type cells struct {
	table  *table
	key    []any // of a row; of a partition
	static bool
	values map[byte]string
}

// eachRow visits the cells of keys from lower on, below upper, a row at a time.
func (a *auditReader) eachRow(ctx context.Context, t *table, lower, upper []byte, visit func(cells) error) error {
	var last []byte // the key of the row's last cell, but for the cell
	var row cells
	end := func() error {
		if last == nil {
			return nil
		}
		last = nil
		return visit(row)
	}
	goesOn := func() error { return a.store.goesOn(ctx) }
	if err := goesOn(); err != nil {
		return err
	}
	err := eachCell(a.moment, lower, upper, goesOn, func(key, value []byte) error {
		if n := len(key) - 1; last == nil || !bytes.Equal(key[:n], last) {
			if err := end(); err != nil {
				return err
			}
			k, ok := t.parse(key)
			if !ok {
				return fmt.Errorf("%s: the key %x: %w", t.name, key, errKey)
			}
			last, row = bytes.Clone(key[:n]), cells{t, k.values, k.static, map[byte]string{}}
		}
		cell := key[len(key)-1]
		if !row.static && !t.has(cell) && !a.store.newer {
			return fmt.Errorf("%s: the key %x: %w", t.name, key, errCell)
		}
		row.values[cell] = string(value)
		return nil
	})
	if err == nil {
		err = cmp.Or(end(), goesOn())
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return a.store.convert(err)
}

// copies reads the copies among the cells. Those that can't be read make the row damaged.
func (c cells) copies() (row audit.Row) {
	row.Key = c.key
	for _, g := range c.table.name.Families() {
		value, stands := c.values[g.Cell]
		if !stands || g.Static() != c.static {
			continue
		}
		copied, err := decodeCopy(g, c.key, value)
		if err != nil {
			row.Damaged = strings.Join(g.Columns.Names(), ", ") + " can't be read"
			continue
		}
		row.Cells = append(row.Cells, copied)
	}
	return row
}

// decodeCopy reads the value of a family.
func decodeCopy(g *blog.Family, key []any, value string) (blog.Copy, error) {
	f := decode(value)
	values := make([]any, len(g.Columns))
	for i, c := range g.Columns {
		if i >= len(values)-g.Added() && f.unread == "" {
			values[i] = new(fields).typed(c.Type) // zero
		} else {
			values[i] = f.typed(c.Type)
		}
	}
	return blog.Copy{Family: g, Key: key, Values: values, Stamp: f.stamp}, f.end()
}

func (a *auditReader) EachRow(ctx context.Context, name blog.Table, _ int, visit func(audit.Row) error) error {
	t := tables[name]
	var above audit.Row // the rows of the partition
	alone := false      // there was none
	end := func() error {
		if !alone || len(above.Cells) == 0 && above.Damaged == "" {
			return nil
		}
		return visit(above)
	}
	err := a.eachRow(ctx, t, []byte{t.prefix}, []byte{t.prefix + 1}, func(c cells) error {
		row := c.copies()
		if partition := c.key[:len(t.partition)]; above.Key == nil || !audit.SameValues(above.Key, partition) {
			if err := end(); err != nil {
				return err
			}
			above, alone = audit.Row{Key: partition}, true
		}
		if c.static {
			above = row
			return nil
		}
		alone = false
		row.Cells = slices.Concat(above.Cells, row.Cells)
		row.Damaged = cmp.Or(row.Damaged, above.Damaged)
		return visit(row)
	})
	if err != nil {
		return err
	}
	return end()
}

func (a *auditReader) Row(ctx context.Context, name blog.Table, key []any) (audit.Row, error) {
	t, found := tables[name], audit.Row{Key: key}
	partition := t.partitionKey(key[:len(t.partition)]...)
	whole := len(key) > len(t.partition) || len(t.clustering) == 0
	lower, upper := partition, with(partition, endMark)
	if whole {
		row := t.appendRowKey(nil, key...)
		lower, upper = row, with(row, pastCells)
	}
	err := a.eachRow(ctx, t, lower, upper, func(c cells) error {
		if !whole && !c.static {
			found.Below = true
			return errEnough
		}
		found = c.copies()
		return nil
	})
	return found, err
}

func (a *auditReader) Tally(ctx context.Context, name blog.Table, parent blog.UUID) (t audit.Tally, err error) {
	counted := tables[name]
	if t.Count, err = a.count(ctx, counted, parent); err != nil {
		return t, err
	}
	partition := counted.partitionKey(parent)
	err = a.eachRow(ctx, counted, with(partition, rowMark), with(partition, endMark), func(c cells) error {
		stands, err := c.stands()
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
func (c cells) stands() (bool, error) {
	value, made := c.values[truthCell]
	if !made || c.table == commentsByPost {
		return made, nil
	}
	of, err := decodeReaction(blog.ReactionKey{Of: c.table.name.Reaction()}, value)
	return of.Stands, err
}
