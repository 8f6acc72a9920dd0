package main

import (
	"fmt"
	"slices"
	"strings"

	"broadsheet/blog"
)

// cassandra writes what reads a row of the list, and the query where it is plain.
func (l pageList) cassandra(w *strings.Builder) {
	l.scanner(w)
	if !l.plain() {
		return
	}
	page, order := l.request()
	keys := "idSpan(page, true)"
	if l.List.InBothOrders() {
		keys = "commentSpan(q)"
	}
	exists := "userStands"
	if l.parent[0].Type == blog.TypePost {
		exists = "postStands"
	}
	fmt.Fprintf(w, `
// %[1]s is a method of [blog.Queries].
func (s *Store) %[2]s {
	list := newIDList(blog.%[3]s, func(row gocql.Scanner) (blog.UUID, blog.%[4]s, bool, error) {
		%[5]s := %[6]s
		stands, err := read%[3]s(row, &%[5]s)
		return %[5]s.ID.UUID, %[5]s, stands, err
	}, %[7]s)
	return readPage(ctx, s, list, %[8]s, %[9]s, %[10]s, %[11]s%[12]s, unlessFound(func() error { return s.%[13]s(ctx, %[14]s) }))
}
`, l.Method, l.signature(), l.table, l.of, l.name, l.given(), strings.Join(l.parents(), ", "),
		keys, order, page, lower(l.of), l.person, exists, l.argument(l.parent[0]))
}

// scanner writes the function that reads a row's columns in the order of the list's statements.
func (l pageList) scanner(w *strings.Builder) {
	args, into, stands := fmt.Sprintf("row gocql.Scanner, %s *blog.%s", l.name, l.of), []string{}, ""
	columns := map[string]blog.Column{}
	for _, c := range slices.Concat(l.Key(), l.List.Truth, l.List.Above) {
		columns[c.Name] = c
	}
	above := l.List.Above.Names()
	for _, g := range l.Table.Groups() {
		for _, c := range g.Columns {
			columns[c.Name] = c
		}
		if g.Static() && g.Counts() {
			above = append(above, g.Columns[0].Name)
		}
	}
	if slices.ContainsFunc(above, func(name string) bool { return columns[name].Type == blog.TypeCount }) {
		args += ", count *blog.Count"
	}
	mandatory := l.mandatory()
	for _, name := range shownColumns(l.Declaration) {
		c, ofAbove := columns[name], slices.Contains(above, name)
		switch {
		case strings.HasPrefix(name, "WRITETIME("), c.Type == blog.TypeStamp:
			into = append(into, "&count.Stamp")
		case ofAbove && c.Type == blog.TypeCount:
			into = append(into, "&count.N")
		case ofAbove:
			args += fmt.Sprintf(", %s *%s", lower(pascal(name)), goType(c.Type))
			into = append(into, lower(pascal(name)))
		case c.Type == blog.TypeCount:
			into = append(into, "&"+l.field(c)+".N")
		case isID(c.Type):
			into = append(into, "cql.Into(&"+l.field(c)+".UUID)")
		case c.Type == blog.TypeBool:
			into = append(into, "&stands")
		default:
			into = append(into, "&"+l.field(c))
		}
		if name == mandatory && c.Type == blog.TypeText {
			stands = l.field(c) + ` != ""`
		}
	}
	fmt.Fprintf(w, `
// read%[1]s reads a row of one of the statements of [tables.Lists]. A row stands where it has what makes it.
func read%[1]s(%[2]s) (stands bool, err error) {
`, l.table, args)
	if stands == "" {
		fmt.Fprintf(w, "\terr = row.Scan(%s)\n\treturn stands, err\n}\n", strings.Join(into, ", "))
		return
	}
	fmt.Fprintf(w, "\terr = row.Scan(%s)\n\treturn %s, err\n}\n", strings.Join(into, ", "), stands)
}

// mandatory is the column without which a row is none.
func (l pageList) mandatory() string {
	for _, g := range l.Rows {
		if g.Row {
			return g.Mandatory()
		}
	}
	text := slices.IndexFunc(l.List.Truth, func(c blog.Column) bool { return c.Type == blog.TypeText })
	return l.List.Truth[text].Name
}
