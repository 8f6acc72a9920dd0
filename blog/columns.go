package blog

// Type is the type of a column: of what Go type its values are in a [Copy], and how each
// store writes them.
type Type byte

// The types. Texts and bytes are ordered by their bytes, times and numbers by their value,
// and ids by when they were made, on every store.
const (
	TypeUser         Type = 1 + iota // UserID
	TypePost                         // PostID
	TypeComment                      // CommentID
	TypeText                         // string
	TypeOptionalText                 // *string, which may be nil
	TypeBytes                        // []byte
	TypeInt                          // int, of 32 bits
	TypeBool                         // bool
	TypeTime                         // time.Time, in whole milliseconds
)

// Column is one column of a table.
type Column struct {
	Name       string
	Type       Type
	Descending bool // a clustering column: the highest value first
}
