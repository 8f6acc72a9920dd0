package productmap

import (
	"slices"

	"broadsheet/blog"
)

// Queries lists the tables that answer queries.
var Queries = slices.DeleteFunc(slices.Clone(blog.Declarations), func(d *blog.Declaration) bool { return d.Method == "" })

// Lists lists the tables that are read in pages.
var Lists = slices.DeleteFunc(slices.Clone(blog.Declarations), func(d *blog.Declaration) bool { return d.List.Cursors == "" })

// PrimaryKey returns a table's key as the README has it: the partition's columns in inner
// parentheses; ↓: descending.
func PrimaryKey(d *blog.Declaration) string {
	key := "(("
	for i, c := range d.Key() {
		switch {
		case i == len(d.Partition):
			key += "), "
		case i > 0:
			key += ", "
		}
		if key += c.Name; c.Descending {
			key += " ↓"
		}
	}
	if len(d.Clustering) == 0 {
		key += ")"
	}
	return key + ")"
}
