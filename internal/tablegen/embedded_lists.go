package main

import (
	"fmt"
	"strings"

	"broadsheet/blog"
)

// embedded writes what reads a row of the list, and the query where it is plain.
func (l pageList) embedded(w *strings.Builder) {
	if len(l.List.Truth) > 0 {
		decoder(w, l.item, l.table, &blog.Group{Columns: l.List.Truth})
	}
	l.rowReader(w)
	if !l.plain() {
		return
	}
	page, order := l.request()
	partition, under := l.parents()[:len(l.Table.PartitionKey())], l.parents()[len(l.Table.PartitionKey()):]
	fmt.Fprintf(w, `
// %[1]s is a method of [blog.Queries].
func (s *Store) %[2]s {
	%[3]s := %[4]s
	return readPage(ctx, s, %[5]s, []any{%[6]s}, %[7]s, list[%[8]s, blog.%[9]s]{
`, l.Method, l.signature(), l.name, l.given(), lower(l.table), strings.Join(partition, ", "), page, goType(l.position[0].Type), l.of)
	if len(under) > 0 {
		fmt.Fprintf(w, "\t\tunder: []any{%s},\n", strings.Join(under, ", "))
	}
	if l.List.InBothOrders() {
		fmt.Fprintf(w, "\t\tbounds: q.Bounds,\n\t\toldestFirst: %s == blog.OldestFirst,\n", order)
	}
	for _, g := range l.Above {
		fmt.Fprintf(w, "\t\tabove: func(snap *snapshot) (err error) {\n\t\t\t%s, err = decodeName(snap.static(%d))\n\t\t\treturn err\n\t\t},\n", l.field(g.Columns[0]), g.Cell)
	}
	exists := "userExists"
	if l.parent[0].Type == blog.TypePost {
		exists = "postExists"
	}
	fmt.Fprintf(w, `		at: func(snap *snapshot, at %[1]s) []byte { return snap.at(%[2]s) },
		item: func(r *row) (blog.%[3]s, error) { return read%[4]s(r, %[5]s) },
		exists: func() error { return s.%[6]s(ctx, %[7]s) },
	})
}
`, goType(l.position[0].Type), strings.Join(append(under, "at"), ", "), l.of, l.table, l.name, exists, partition[0])
}

// rowReader writes the function that reads a row: its place from its key, then its groups.
func (l pageList) rowReader(w *strings.Builder) {
	fmt.Fprintf(w, `
// read%[1]s reads a row of the table, of which %[2]s has what names its list.
func read%[1]s(r *row, %[2]s blog.%[3]s) (_ blog.%[3]s, err error) {
	key := r.columns()
`, l.table, l.name, l.of)
	for range l.List.Under {
		w.WriteString("\tkey.take()\n")
	}
	for _, c := range l.position {
		if isID(c.Type) {
			fmt.Fprintf(w, "\t%s.UUID = key.id()\n", l.field(c))
		} else {
			fmt.Fprintf(w, "\t%s = key.time()\n", l.field(c))
		}
	}
	if len(l.List.Truth) > 0 {
		fmt.Fprintf(w, "\tif %[1]s, err = decode%[2]s(%[1]s, r.cells[truthCell]); err != nil {\n\t\treturn %[1]s, err\n\t}\n", l.name, l.table)
	}
	for i, g := range l.Rows {
		cell := fmt.Sprintf("r.cells[%d]", g.Cell)
		var read string
		switch {
		case g.Names():
			read = fmt.Sprintf("%s, err = decodeName(%s)", l.field(g.Columns[0]), cell)
		case g.Counts():
			read = fmt.Sprintf("%s, err = decodeCount(%s)", l.field(g.Columns[0]), cell)
		case g.Columns[0].Type == blog.TypeBool: // that there is the cell says all
			continue
		default:
			read = fmt.Sprintf("%[1]s, err = decode%[2]s(%[1]s, %[3]s)", l.name, l.groups[i], cell)
		}
		if i < len(l.Rows)-1 {
			fmt.Fprintf(w, "\tif %s; err != nil {\n\t\treturn %s, err\n\t}\n", read, l.name)
		} else {
			fmt.Fprintf(w, "\t%s\n", read)
		}
	}
	fmt.Fprintf(w, "\treturn %s, err\n}\n", l.name)
}

// decoder writes the function that reads a group's value. A column that was added to it may lack.
func decoder(w *strings.Builder, of item, group string, g *blog.Group) {
	fmt.Fprintf(w, "\nfunc decode%[1]s(%[2]s blog.%[3]s, value string) (blog.%[3]s, error) {\n\tf := decode(value)\n", group, of.name, of.of)
	for i, c := range g.Columns {
		read := "field"
		if i >= len(g.Columns)-g.Added() {
			read = "added"
		}
		fmt.Fprintf(w, "\t%s = %s[%s](f)\n", of.field(c), read, goType(c.Type))
	}
	if of.stamped {
		fmt.Fprintf(w, "\t%s.Stamp = f.stamp\n", of.name)
	}
	fmt.Fprintf(w, "\treturn %s, f.end()\n}\n", of.name)
}
