package main

import (
	"fmt"
	"slices"
	"strings"

	"broadsheet/blog"
)

// pages writes the statements that read a list: its first rows and its last, its rows with some
// keys, and where deleted rows stay, keys alone.
func (w *writer) pages(d *blog.Declaration, table string) {
	if d.List.Cursors == "" {
		return
	}
	position := d.Position()
	shown := list("SELECT ", shownColumns(d))
	w.page(d, "select"+table, shown, false)
	w.page(d, "selectOldest"+table, shown, true)
	fmt.Fprintf(&w.lists, "\tblog.%s: {\n\t\tNewest: %s,\n\t\tOldest: %s,\n", table, statement(table, "select"+table), statement(table, "selectOldest"+table))
	if dead := deadColumn(d); dead != "" {
		from := fmt.Sprintf(" FROM %s", d.Table)
		w.text("selectSome"+table, shown, from, where(d.Parent())+" AND "+position[0].Name+" IN ?")
		keys := list("SELECT ", append(position.Names(), dead))
		w.page(d, "select"+table+"Keys", keys, false)
		w.page(d, "selectOldest"+table+"Keys", keys, true)
		fmt.Fprintf(&w.lists, "\t\tSome: %s,\n\t\tNewestKeys: %s,\n\t\tOldestKeys: %s,\n", statement(table, "selectSome"+table),
			statement(table, "select"+table+"Keys"), statement(table, "selectOldest"+table+"Keys"))
	}
	w.lists.WriteString("\t},\n")
}

// page writes a statement that reads so many rows of a span, from its high end down or from its
// low end up.
func (w *writer) page(d *blog.Declaration, name, shown string, oldest bool) {
	position := d.Position().Names()
	at, bound := position[0], "?"
	if len(position) > 1 {
		at, bound = "("+strings.Join(position, ", ")+")", "(?"+strings.Repeat(", ?", len(position)-1)+")"
	}
	var order []string
	for _, c := range d.Clustering {
		direction := "ASC"
		if c.Descending != oldest {
			direction = "DESC"
		}
		order = append(order, c.Name+" "+direction)
	}
	w.text(name, shown, fmt.Sprintf(" FROM %s", d.Table), where(d.Parent()), fmt.Sprintf(" AND %s >= %s AND %s < %s", at, bound, at, bound),
		" ORDER BY "+strings.Join(order, ", ")+" LIMIT ?")
}

// shownColumns returns what a page reads of each row: where it is, who wrote it, and what
// follows from each truth, with the stamp of a count that stands above the rows.
func shownColumns(d *blog.Declaration) (columns []string) {
	columns = d.Position().Names()
	truth := d.List.Truth.Names()
	for _, g := range d.Rows {
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
			counts = append(counts, append(g.Columns.Names(), times(g.Columns)...)...)
		case !g.Row:
			counts = append(counts, g.Columns.Names()...)
		}
	}
	return slices.Concat(columns, truth, names, counts, d.List.Above.Names())
}

// deadColumn is what is 0 in a dead row: the number among the columns that a deletion empties. It is
// empty where no row stays.
func deadColumn(d *blog.Declaration) string {
	for _, g := range d.Rows {
		if !g.LeavesDead() {
			continue
		}
		for _, c := range g.Columns {
			if c.Type == blog.TypeInt && slices.Contains(g.Dead, c.Name) {
				return c.Name
			}
		}
		panic(fmt.Sprintf("%s: no number tells that a row is dead", d.Table))
	}
	return d.Dead.Name
}
