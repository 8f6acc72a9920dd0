package blog

import "slices"

// ColumnType is the type of a column: of what Go type its values are in a [Copy], and how each store writes them.
type ColumnType byte

// The types. On every store texts are ordered by their bytes, times and numbers by their value, and ids by when they
// were made.
const (
	TypeUser         ColumnType = 1 + iota // UserID
	TypePost                               // PostID
	TypeComment                            // CommentID
	TypeText                               // string
	TypeOptionalText                       // *string, which may be nil
	TypeInt                                // int, of 32 bits
	TypeCount                              // int: how many rows follow from the truth
	TypeBool                               // bool
	TypeTime                               // time.Time, in whole milliseconds
	TypeStamp                              // int64, µs; no copy has one, for each has its own
	TypeOptionalTime                       // time.Time as TypeTime, or zero: there is none
	TypeFollowed                           // FollowedID
	TypeGroup                              // GroupID
	TypePath                               // Path, which may be empty
)

// ids makes the ids of each type of columns that hold some.
var ids = map[ColumnType]func(UUID) any{
	TypeUser:     func(id UUID) any { return UserID{id} },
	TypePost:     func(id UUID) any { return PostID{id} },
	TypeComment:  func(id UUID) any { return CommentID{id} },
	TypeFollowed: func(id UUID) any { return FollowedID{id} },
	TypeGroup:    func(id UUID) any { return GroupID{id} },
}

// IsID reports whether columns of the type hold ids.
func (t ColumnType) IsID() bool { return ids[t] != nil }

// ID returns an id of the type.
func (t ColumnType) ID(id UUID) any { return ids[t](id) }

// Column is one column of a table.
type Column struct {
	Name       string
	Type       ColumnType
	Descending bool // a clustering column: the highest value first
	Constant   bool // a partition column that is always 0, and that no key names
	Fixed      bool // set when the row is made: no edit changes it, and a deletion leaves it
	Since      int  // the revision of embedded directories that it came with, to the end of its families; 0: it was always there
}

func (c Column) newestFirst() Column {
	c.Descending = true
	return c
}

// Text reports whether the column holds what people wrote, of which a deletion leaves nothing.
func (c Column) Text() bool { return !c.Fixed && (c.Type == TypeText || c.Type == TypeOptionalText) }

// Columns are columns in their order.
type Columns []Column

// Names returns the columns' names, without the constant ones.
func (cs Columns) Names() (names []string) {
	for _, c := range cs {
		if !c.Constant {
			names = append(names, c.Name)
		}
	}
	return names
}

// Edited returns the columns that an edit may change.
func (cs Columns) Edited() Columns {
	return slices.DeleteFunc(slices.Clone(cs), func(c Column) bool { return c.Fixed })
}

// ColumnsOf returns the columns of some families, one after the other.
func ColumnsOf(families ...*Family) (columns Columns) {
	for _, g := range families {
		columns = append(columns, g.Columns...)
	}
	return columns
}
