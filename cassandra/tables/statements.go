package tables

import (
	"slices"
	"strings"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// What is made of [blog.Declarations] as the program starts; testdata/statements.cql has the texts.
var (
	copies = map[*blog.Family]copyOf{}

	// Clears holds, for tables whose rows are truths and for what stands above rows, the statement that deletes
	// cells which follow from no truth: the write time, the key of the row or of the partition.
	Clears = map[blog.Table]cql.Statement{}

	// ReadsOf holds, for each table that has copies, the statements that read them: a
	// row's key, then the columns of each of the table's families.
	ReadsOf = map[blog.Table]Reads{}

	// BelowParent are the statements that delete all rows below a parent from the tables whose partitions
	// are such parents': the write time, the parent.
	BelowParent = map[*blog.Subject][]cql.Statement{}

	// Lists holds, for each table that is read in pages, the statements that read them.
	Lists = map[blog.Table]Pages{}
)

// copyOf is how a family of cells is written.
type copyOf struct {
	// upsert takes the write time, the values, the key. An update is an upsert; no statement here reads.
	upsert cql.Statement

	// delete, of a family that makes a row, deletes the row, or makes it a dead one: the write time, the key. An empty
	// text is a value; a null would be a tombstone. The version 0 tells a dead row to readers that skip its texts.
	delete cql.Statement

	partition int // how many columns of the key are the partition's
}

func init() {
	for _, d := range blog.Declarations {
		if len(d.Table.Families()) > 0 {
			makeCopies(d)
		}
		if d.List.Cursors != "" {
			Lists[d.Table] = pagesOf(d)
		}
	}
}

func makeCopies(d *blog.Declaration) {
	var cells, above blog.Columns
	for _, g := range d.Table.Families() {
		cells = append(cells, g.Columns...)
		key := d.Key()
		if g.Static() {
			key, above = d.Partition, append(above, g.Columns...)
		}
		update := "UPDATE " + string(d.Table) + " USING TIMESTAMP ? SET "
		c := copyOf{upsert: cql.On(d.Table, update+set(g.Columns.Names())+where(key)), partition: len(d.Partition.Names())}
		switch {
		case g.LeavesDead:
			c.delete = cql.On(d.Table, update+emptied(blog.ColumnsOf(d.Rows...))+where(key))
		case g.Row:
			c.delete = cql.On(d.Table, "DELETE FROM "+string(d.Table)+" USING TIMESTAMP ?"+where(key))
		}
		copies[g] = c
	}
	ReadsOf[d.Table] = readsOf(d, cells, above)
	if d.BelowParent() {
		of := d.About.Parent
		BelowParent[of] = append(BelowParent[of], cql.On(d.Table, "DELETE FROM "+string(d.Table)+" USING TIMESTAMP ?"+where(d.Partition)))
	}
	cleared, key := above, d.Partition
	if !d.MakesRows() {
		cleared, key = cells, d.Key()
	}
	if len(cleared) > 0 {
		Clears[d.Table] = cql.On(d.Table, "DELETE "+list(cleared.Names())+" FROM "+string(d.Table)+" USING TIMESTAMP ?"+where(key))
	}
}

func readsOf(d *blog.Declaration, cells, above blog.Columns) (r Reads) {
	columns := slices.Concat(d.Key().Names(), cells.Names())
	for _, more := range []blog.Column{d.Gone, d.Dead()} {
		if more.Name != "" {
			columns = append(columns, more.Name)
		}
	}
	r.Scan = cql.On(d.Table, "SELECT "+list(columns)+" FROM "+string(d.Table)+ofTokens(d))
	r.Row = cql.On(d.Table, "SELECT "+list(columns, times(cells.Names()))+" FROM "+string(d.Table)+where(d.Key()))
	if len(above) > 0 {
		r.Head = cql.On(d.Table, "SELECT "+list(d.Key().Names(), above.Names(), times(above.Names()))+" FROM "+string(d.Table)+where(d.Partition)+" LIMIT 1")
	}
	return r
}

// pagesOf returns the statements that read a list: its first rows and its last, its rows with some
// keys, and where deleted rows stay, keys alone.
func pagesOf(d *blog.Declaration) (p Pages) {
	shown, dead := shownColumns(d), deadColumn(d)
	p.Columns = shown[:len(shown)-len(d.List.Above)]
	p.Newest, p.Oldest = page(d, shown, false), page(d, shown, true)
	if dead == "" {
		return p
	}
	position := d.Position().Names()
	p.Some = cql.On(d.Table, "SELECT "+list(shown)+" FROM "+string(d.Table)+where(d.Parent())+" AND "+position[0]+" IN ?")
	keys := append(position, dead)
	p.NewestKeys, p.OldestKeys = page(d, keys, false), page(d, keys, true)
	return p
}

// page returns the statement that reads so many rows of a span, from its high end down or its low end up.
func page(d *blog.Declaration, columns []string, oldest bool) cql.Statement {
	position := d.Position().Names()
	at, bound := position[0], "?"
	if len(position) > 1 {
		at, bound = "("+list(position)+")", "("+marks(len(position))+")"
	}
	var order []string
	for _, c := range d.Clustering {
		direction := " ASC"
		if c.Descending != oldest {
			direction = " DESC"
		}
		order = append(order, c.Name+direction)
	}
	return cql.On(d.Table, "SELECT "+list(columns)+" FROM "+string(d.Table)+where(d.Parent())+
		" AND "+at+" >= "+bound+" AND "+at+" < "+bound+" ORDER BY "+list(order)+" LIMIT ?")
}

// shownColumns returns what a page reads of each row: where it is, who wrote it, and what
// follows from each truth, with the stamp of a count that stands above the rows.
func shownColumns(d *blog.Declaration) (columns []string) {
	columns = d.Position().Names()
	var truth []string
	for _, g := range slices.Concat(d.Truth, d.Rows) {
		if g.Row {
			truth = append(truth, g.Columns.Names()...)
		}
	}
	if len(truth) > 0 && truth[0] == "author_id" {
		columns, truth = append(columns, truth[0]), truth[1:]
	}
	var names, counts []string
	for _, g := range slices.Concat(d.Above, d.Rows) {
		switch {
		case g.Names() && (g.Static() || len(columns) > len(d.Position())):
			columns = append(columns, g.Columns.Names()...)
		case g.Names():
			names = append(names, g.Columns.Names()...)
		case g.Static():
			counts = append(counts, append(g.Columns.Names(), times(g.Columns.Names())...)...)
		case !g.Row:
			counts = append(counts, g.Columns.Names()...)
		}
	}
	return slices.Concat(columns, truth, names, counts, d.List.Above.Names())
}

// deadColumn is what is 0 in a dead row. It is empty where no row stays.
func deadColumn(d *blog.Declaration) string {
	if g := d.Maker(); g.LeavesDead {
		return g.Number().Name
	}
	return ""
}

func list(items ...[]string) string { return strings.Join(slices.Concat(items...), ", ") }

// marks are the places of so many arguments.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func set(names []string) string { return strings.Join(names, " = ?, ") + " = ?" }

func times(columns []string) (items []string) {
	for _, name := range columns {
		items = append(items, "WRITETIME("+name+")")
	}
	return items
}

// emptied sets what a dead row lacks: no text is left in it, and its number is 0.
func emptied(columns blog.Columns) string {
	var items []string
	for _, c := range columns.Edited() {
		switch {
		case c.Text():
			items = append(items, c.Name+" = ''")
		case c.Type == blog.TypeInt:
			items = append(items, c.Name+" = 0")
		}
	}
	return list(items)
}

func where(key blog.Columns) string {
	var terms []string
	for _, c := range key {
		if c.Constant {
			terms = append(terms, c.Name+" = 0")
		} else {
			terms = append(terms, c.Name+" = ?")
		}
	}
	return " WHERE " + strings.Join(terms, " AND ")
}

// ofTokens names the rows of a range of tokens.
func ofTokens(d *blog.Declaration) string {
	var partition []string
	for _, c := range d.Partition {
		partition = append(partition, c.Name)
	}
	hash := "token(" + list(partition) + ")"
	return " WHERE " + hash + " > ? AND " + hash + " <= ?"
}
