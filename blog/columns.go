package blog

// ColumnType is the type of a column: of what Go type its values are in a [Copy], and how each
// store writes them.
type ColumnType byte

// The types. Texts and bytes are ordered by their bytes, times and numbers by their value,
// and ids by when they were made, on every store.
const (
	TypeUser         ColumnType = 1 + iota // UserID
	TypePost                               // PostID
	TypeComment                            // CommentID
	TypeText                               // string
	TypeOptionalText                       // *string, which may be nil
	TypeBytes                              // []byte
	TypeInt                                // int, of 32 bits
	TypeCount                              // int: how many rows follow from the truth
	TypeBool                               // bool
	TypeTime                               // time.Time, in whole milliseconds
	TypeStamp                              // int64, µs; no copy has one, for each has its own
	TypeOptionalTime                       // time.Time as TypeTime, or zero: there is none
)

// Column is one column of a table.
type Column struct {
	Name       string
	Type       ColumnType
	Descending bool // a clustering column: the highest value first
	Constant   bool // a partition column that is always 0, and that no key names
	Since      int  // the revision of embedded directories that it came to its group with, at the end; 0: it was always there
}

// newestFirst returns the column as one that rows are ordered by, the highest value first.
func (c Column) newestFirst() Column {
	c.Descending = true
	return c
}

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
