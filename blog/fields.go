package blog

import (
	"fmt"
	"time"
)

// Fields has, for each column of a type's truth and of its copies, where it stands in a value of the type. A declared
// column without one keeps the program from starting.
type Fields[T any] map[string]func(*T) any

// row is a [Row] of a type.
type row interface{ of(subject any) []any }

func (r Row[T]) of(subject any) []any { return r.Values(subject.(*T)) }

// FieldsOf returns the fields of what a table's rows are about; nil where that is no T.
func FieldsOf[T any](d *Declaration) Fields[T] {
	if d.About == nil {
		return nil
	}
	fields, _ := d.About.fields.(Fields[T])
	return fields
}

func (f Fields[T]) columns(names ...string) row { return f.Of(names...) }

// RowOf returns the columns of a family, in a table whose rows are about a T. They are the family's own: don't append.
func RowOf[T any](g *Family) Row[T] { return g.row.(Row[T]) }

// Row is some columns, each with where it stands in a T.
type Row[T any] []func(*T) any

// Of returns the row of some columns.
func (f Fields[T]) Of(columns ...string) (row Row[T]) {
	for _, name := range columns {
		field := f[name]
		if field == nil {
			var of T
			panic(fmt.Sprintf("blog: the column %s is no field of a %T: give it a line in blog/declarations.go", name, of))
		}
		row = append(row, field)
	}
	return row
}

// Values returns what stands in the columns, as a [Copy] has it.
func (r Row[T]) Values(of *T) []any {
	values := make([]any, len(r))
	for i, field := range r {
		values[i] = valueAt(field(of))
	}
	return values
}

// Same reports whether the same stands in the columns of two values.
func (r Row[T]) Same(a, b *T) bool {
	for _, field := range r {
		if !sameAt(field(a), field(b)) {
			return false
		}
	}
	return true
}

// Set has values stand in the columns, which are ids, texts and numbers.
func (r Row[T]) Set(of *T, values ...any) {
	for i, value := range values {
		switch at := r[i](of).(type) {
		case *string:
			*at = value.(string)
		case *int:
			*at = value.(int)
		default:
			*IDAt(at), _ = IDOf(value)
		}
	}
}

func valueAt(at any) any {
	switch v := at.(type) {
	case *UserID:
		return *v
	case *PostID:
		return *v
	case *CommentID:
		return *v
	case *FollowedID:
		return *v
	case *GroupID:
		return *v
	case *Path:
		return *v
	case *string:
		return *v
	case **string:
		return *v
	case *int:
		return *v
	case *bool:
		return *v
	case *time.Time:
		return *v
	case *Count:
		return v.N
	case *CopiedText: // as a [Copy] has it
		if !v.Known {
			return (*string)(nil)
		}
		return &v.Text
	}
	panic(fmt.Sprintf("blog: a field is a %T", at))
}

func sameAt(a, b any) bool {
	if text, optional := a.(**string); optional {
		a, b := *text, *b.(**string)
		return a == b || a != nil && b != nil && *a == *b
	}
	return valueAt(a) == valueAt(b)
}
