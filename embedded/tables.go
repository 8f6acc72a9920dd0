package embedded

import (
	"fmt"
	"slices"

	"broadsheet/blog"
)

// The tables of this store's own machinery.
var (
	idempotencyKeys   = newTable(&blog.Declaration{Table: blog.IdempotencyKeys, Partition: idempotencyScope, Embedded: blog.Embedded{Prefix: 0x54}})
	idempotencyExpiry = newTable(&blog.Declaration{
		Table: "idempotency_expiry", Partition: append(blog.Columns{{Name: "expires", Type: blog.TypeTime}}, idempotencyScope...),
		Embedded: blog.Embedded{Prefix: 0x55},
	})
	idempotencyScope = blog.Columns{
		{Name: "owner", Type: blog.TypeText}, {Name: "mutation", Type: blog.TypeText}, {Name: "key", Type: blog.TypeText},
	}
)

// tables holds every table of the domain that this store has.
var tables = func() map[blog.Table]*table {
	all := map[blog.Table]*table{}
	for _, d := range blog.Declarations {
		if d.Embedded.Prefix != 0 {
			all[d.Table] = newTable(d)
		}
	}
	return all
}()

// The tables of the domain. A row's first cell makes the row.
var (
	usersByID      = tables[blog.UsersByID]
	postsByID      = tables[blog.PostsByID]
	commentsByPost = tables[blog.CommentsByPost]
)

// taken has the tables by what their keys begin with, those of the machinery too.
var taken = map[byte]*table{gapsPrefix: {name: blog.Gaps}}

// gapsPrefix is that of a table in which programs before revision 8 noted long runs of deleted rows.
const gapsPrefix = 0x56

// newTable makes a table of its declaration. Columns that are always 0 are for stores that
// may have to split a partition.
func newTable(d *blog.Declaration) *table {
	if other := taken[d.Embedded.Prefix]; other != nil && other.name != d.Table {
		panic(fmt.Sprintf("embedded: the keys of %s and of %s both begin with %#x", d.Table, other.name, d.Embedded.Prefix))
	}
	t := &table{name: d.Table, prefix: d.Embedded.Prefix, cells: truthCell}
	taken[t.prefix] = t
	for _, c := range d.Partition {
		if !c.Constant {
			t.partition = append(t.partition, c.Type)
		}
	}
	for _, c := range d.Clustering {
		isPath := c.Type == blog.TypePath && len(d.Clustering) == 1 && !c.Descending
		if !c.Type.IsID() && c.Type != blog.TypeTime && c.Type != blog.TypeInt && !isPath {
			panic(fmt.Sprintf("embedded: %s is no id, time or number, nor the only path, and orders the rows of %s", c.Name, d.Table))
		}
		made := column{ColumnType: c.Type}
		if c.Descending || d.Embedded.Descending {
			made.inverted = 0xff
		}
		t.clustering = append(t.clustering, made)
	}
	for _, g := range slices.Concat(d.Truth, d.Rows) {
		t.cells = max(t.cells, g.Cell)
	}
	return t
}
