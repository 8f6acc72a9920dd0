package auditor

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/internal/audit"

	"github.com/gocql/gocql"
)

func (a *reader) EachRow(ctx context.Context, table blog.Table, part int, visit func(audit.Row) error) error {
	r := newRowReader(table.Declaration(), false, false)
	return a.part(ctx, tables.ReadsOf[table].Scan, part, auditPage, func(row gocql.Scanner) error {
		if err := row.Scan(r.order...); err != nil {
			return err
		}
		found := r.row()
		if len(found.Key) < len(r.key) && len(found.Cells) == 0 {
			return nil // a partition without rows, and with nothing above them that is a copy
		}
		return visit(found)
	})
}

func (a *reader) Row(ctx context.Context, table blog.Table, key []any) (audit.Row, error) {
	return patient(ctx, a.Auditor, func(ctx context.Context) (audit.Row, error) {
		row, _, err := a.rowWithTimes(ctx, table, key)
		return row, err
	})
}

// rowWithTimes reads a row, or what is stored above the rows of a partition, and its latest write time; 0: none.
func (s *Auditor) rowWithTimes(ctx context.Context, table blog.Table, key []any) (row audit.Row, latest int64, err error) {
	read, head := tables.ReadsOf[table].Row, len(key) < len(table.RowKey())
	if head {
		read = tables.ReadsOf[table].Head
	}
	r := newRowReader(table.Declaration(), head, true)
	err = s.DB.One(ctx, read.With(tables.Arguments(key)...), r.order...)
	if err != nil {
		return audit.Row{Key: key}, 0, cql.AbsentIsZero(err)
	}
	row = r.row()
	row.Below = len(row.Key) == len(r.key)
	row.Key = key
	return row, slices.Max(r.times), nil
}

// rowReader makes rows of what the statements of a table of copies answer.
type rowReader struct {
	families []*blog.Family
	key      []string // of a row
	cells    map[string]*cell
	order    []any // destinations, as the statement has its columns
	gone     *cell
	dead     *cell
	times    []int64
}

// newRowReader reads rows, or heads: what stands above the rows, with the first row's key. timed: with the write times.
func newRowReader(d *blog.Declaration, head, timed bool) *rowReader {
	r := &rowReader{families: d.Table.Families(), key: d.Table.RowKey(), cells: map[string]*cell{}}
	families, gone, dead := r.families, d.Gone, d.Dead()
	if head {
		families, gone, dead = d.Above, blog.Column{}, blog.Column{}
	}
	for _, c := range slices.Concat(d.Key(), blog.ColumnsOf(families...)) {
		if !c.Constant {
			r.cells[c.Name] = r.add(c.Type)
		}
	}
	times := len(r.order) - len(r.key)
	if gone.Name != "" {
		r.gone = r.add(gone.Type)
	}
	if dead.Name != "" {
		r.dead = r.add(dead.Type)
	}
	if timed {
		r.times = make([]int64, times)
		for i := range r.times {
			r.order = append(r.order, &r.times[i])
		}
	}
	return r
}

func (r *rowReader) add(t blog.ColumnType) *cell {
	c := &cell{ColumnType: t}
	r.order = append(r.order, c)
	return c
}

// row returns the row that was scanned last, with the families that it has some of.
func (r *rowReader) row() audit.Row {
	key, complete := r.values(r.key)
	row := audit.Row{Key: key, Leaving: r.gone != nil && r.gone.stands && r.gone.value != false, Dead: r.isDead()}
	if !complete {
		row.Key = nil
	}
	for _, g := range r.families {
		if g.Static() && !complete {
			row.Key = key[:len(g.Key)]
		}
		if row.Dead && !g.Static() || !slices.ContainsFunc(g.Columns.Names(), func(name string) bool { c := r.cells[name]; return c != nil && c.stands }) {
			continue
		}
		values, _ := r.values(g.Columns.Names())
		row.Cells = append(row.Cells, blog.Copy{Family: g, Key: key[:len(g.Key)], Values: values})
	}
	return row
}

// isDead reports whether the row is a dead one, which stays.
func (r *rowReader) isDead() bool {
	if r.dead != nil {
		return r.dead.stands && r.dead.value == 0
	}
	for _, g := range r.families {
		if c := r.cells[g.Mandatory()]; g.LeavesDead && c != nil && c.stands && c.value == "" {
			return true
		}
	}
	return false
}

// values returns the values of some columns, and whether all of them stand.
func (r *rowReader) values(names []string) (values []any, complete bool) {
	complete = true
	for _, name := range names {
		c := r.cells[name]
		values = append(values, c.value)
		complete = complete && c.stands
	}
	return values, complete
}

// cell is a destination. Its value is of the type that a [blog.Copy] has in this column; of a null, the type's zero.
type cell struct {
	blog.ColumnType
	value  any
	stands bool
}

// UnmarshalCQL is a method of [gocql.Unmarshaler].
func (c *cell) UnmarshalCQL(info gocql.TypeInfo, data []byte) (err error) {
	c.stands = data != nil
	switch c.ColumnType {
	case blog.TypeText:
		c.value, err = unmarshal[string](info, data)
	case blog.TypePath:
		var path string
		path, err = unmarshal[string](info, data)
		c.value = blog.Path(path)
	case blog.TypeOptionalText: // which may be absent by itself
		c.value, err = unmarshal[*string](info, data)
	case blog.TypeInt, blog.TypeCount:
		c.value, err = unmarshal[int](info, data)
	case blog.TypeBool:
		c.value, err = unmarshal[bool](info, data)
	case blog.TypeTime, blog.TypeOptionalTime:
		c.value, err = unmarshal[time.Time](info, data)
	default:
		var id gocql.UUID
		id, err = unmarshal[gocql.UUID](info, data)
		c.value = c.ID(blog.UUID(id))
	}
	return err
}

func unmarshal[T any](info gocql.TypeInfo, data []byte) (value T, err error) {
	err = gocql.Unmarshal(info, data, &value)
	return value, err
}
