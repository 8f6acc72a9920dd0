package embedded

import (
	"slices"

	"broadsheet/blog"
)

// fieldsReader reads the value of a family into a T, as blog.Fields has its columns there.
type fieldsReader[T any] struct {
	cell  byte
	row   blog.Row[T]
	first int  // so many columns were there from the beginning; values may lack the others
	lacks bool // the whole value may lack: it is a copy beside what makes the row
}

func readerOf[T any](g *blog.Family) fieldsReader[T] {
	return fieldsReader[T]{g.Cell, blog.RowOf[T](g), len(g.Columns) - g.Added(), !g.Row}
}

// read returns the stamp that a value was written at.
func (r fieldsReader[T]) read(value string, of *T) (stamp int64, err error) {
	if value == "" && r.lacks {
		return 0, nil
	}
	f := decode(value)
	for i, field := range r.row {
		if i >= r.first && f.unread == "" {
			break
		}
		f.into(field(of))
	}
	return f.stamp, f.end()
}

// encodeFamily writes the value of a family.
func encodeFamily[T any](g *blog.Family, stamp int64, of T) []byte {
	return encode(stamp, blog.RowOf[T](g).Values(&of)...)
}

// listReader reads the lists of a table: what names one, what stands above it, and its rows, each the position
// from the key, then the families.
type listReader[T any] struct {
	table    *table
	under    int         // so many clustering columns name the list
	names    blog.Row[T] // they and the partition's
	position blog.Row[T] // the other clustering columns
	statics  []fieldsReader[T]
	cells    []fieldsReader[T]
}

// The tables, by what their rows are about.
var (
	postLists     = listReaders[blog.Post]()
	commentLists  = listReaders[blog.Comment]()
	reactionLists = listReaders[blog.Reaction]()
	groupLists    = listReaders[blog.Group]()
)

func listReaders[T any]() map[blog.Table]*listReader[T] {
	all := map[blog.Table]*listReader[T]{}
	for name, t := range tables {
		d := name.Declaration()
		fields := blog.FieldsOf[T](d)
		if fields == nil {
			continue
		}
		r := &listReader[T]{table: t, under: d.List.Under, names: fields.Of(d.Parent().Names()...), position: fields.Of(d.Position().Names()...)}
		for _, g := range d.Above {
			if !g.Counts() { // of the parent
				r.statics = append(r.statics, readerOf[T](g))
			}
		}
		for _, g := range slices.Concat(d.Truth, d.Rows) {
			r.cells = append(r.cells, readerOf[T](g))
		}
		all[name] = r
	}
	return all
}

// above reads what stands above the rows into what has what names the list.
func (r *listReader[T]) above(snap *snapshot, of *T) error {
	for _, g := range r.statics {
		if _, err := g.read(snap.static(g.cell), of); err != nil {
			return err
		}
	}
	return nil
}

// row reads a row into what has what names its list.
func (r *listReader[T]) row(from *row, of *T) error {
	key := from.columns()
	for range r.under {
		key.skip()
	}
	for _, field := range r.position {
		key.into(field(of))
	}
	for _, c := range r.cells {
		if _, err := c.read(from.cells[c.cell], of); err != nil {
			return err
		}
	}
	return nil
}
