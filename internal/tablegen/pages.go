package main

import (
	"slices"

	"broadsheet/blog"
)

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

func set(names []string, value string) (items []string) {
	for _, name := range names {
		items = append(items, name+value)
	}
	return items
}

func times(columns blog.Columns) (items []string) {
	for _, name := range columns.Names() {
		items = append(items, "WRITETIME("+name+")")
	}
	return items
}
