package embedded

import "broadsheet/blog"

// fieldsReader reads the value of a group into a T, as blog.Fields has its columns there.
type fieldsReader[T any] struct {
	cell  byte
	row   blog.Row[T]
	first int  // so many columns were there from the beginning; values may lack the others
	lacks bool // the whole value may lack: it is a copy beside what makes the row
}

func readerOf[T any](g *blog.Group) fieldsReader[T] {
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

// encodeGroup writes the value of a group.
func encodeGroup[T any](g *blog.Group, stamp int64, of T) []byte {
	return encode(stamp, blog.RowOf[T](g).Values(&of)...)
}

// listReader reads a row: its position from its key, then its groups.
type listReader[T any] struct {
	under    int         // so many clustering columns name the list
	position blog.Row[T] // the others
	cells    []fieldsReader[T]
}

// The lists of what has an id.
var (
	authorPostRow        = newListReader(blog.PostFields, blog.PostsByAuthor)
	feedRow              = newListReader(blog.PostFields, blog.FeedByBucket)
	commentRow           = newListReader(blog.CommentFields, blog.CommentsByPost)
	authorCommentRow     = newListReader(blog.CommentFields, blog.CommentsByAuthor)
	postAuthorCommentRow = newListReader(blog.CommentFields, blog.CommentsByPostAndAuthor)
)

func newListReader[T any](fields blog.Fields[T], table blog.Table) listReader[T] {
	d := table.Declaration()
	r := listReader[T]{under: d.List.Under, position: fields.Of(d.Position().Names()...)}
	for _, g := range append(d.Truth, d.Rows...) {
		r.cells = append(r.cells, readerOf[T](g))
	}
	return r
}

// read reads a row into what has what names its list.
func (r listReader[T]) read(from *row, of *T) error {
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
