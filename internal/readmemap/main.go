// Command readmemap writes [productmap.Queries] into the README and [productmap.Commands] into the page on consistency,
// each as a table between two marks, with links to the files that each row names.
package main

//go:generate go run . ../..

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
)

// half is one half of the map: where it stands, and between which marks.
type half struct{ page, name string }

var (
	queries  = half{"README.md", "map"}
	commands = half{"docs/consistency.md", "map of commands"}
)

func (h half) begin() string { return "<!-- " + h.name + ": begin (written by go generate) -->\n" }

func (h half) end() string { return "<!-- " + h.name + ": end -->\n" }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: readmemap REPOSITORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "readmemap:", err)
		os.Exit(1)
	}
}

// write writes the pages that are not current.
func write(repository string) error {
	pages, err := changed(os.DirFS(repository))
	for page, text := range pages {
		err = errors.Join(err, os.WriteFile(filepath.Join(repository, page), text, 0o644))
	}
	return err
}

// changed returns the repository's pages that are not as they should be, as they should be.
func changed(repository fs.FS) (map[string][]byte, error) {
	rows, err := queryTable(repository, productmap.Queries)
	if err != nil {
		return nil, err
	}
	pages := map[string][]byte{}
	for h, rows := range map[half]string{queries: rows, commands: commandTable(productmap.Commands)} {
		before, err := fs.ReadFile(repository, h.page)
		if err != nil {
			return nil, err
		}
		after, err := h.between(before, rows)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(before, after) {
			pages[h.page] = after
		}
	}
	return pages, nil
}

// between returns a text with other rows between the marks of a half.
func (h half) between(text []byte, rows string) ([]byte, error) {
	head, rest, began := bytes.Cut(text, []byte(h.begin()))
	_, tail, ended := bytes.Cut(rest, []byte(h.end()))
	if !began || !ended {
		return nil, fmt.Errorf("%s should have a line %q and after it a line %q", h.page, strings.TrimSpace(h.begin()), strings.TrimSpace(h.end()))
	}
	return bytes.Join([][]byte{head, []byte(h.begin() + "\n" + rows + "\n" + h.end()), tail}, nil), nil
}

// commandTable returns the commands' half in Markdown: neighbors that write the same are one row.
func commandTable(rows []productmap.Command) string {
	var b strings.Builder
	b.WriteString("| | mutation | truth | guarded by | in the batch of copies | after the reply |\n|---|---|---|---|---|---|\n")
	for i, row := range rows {
		if i > 0 && writes(rows[i-1]) == writes(row) {
			continue
		}
		var mutations []string
		for _, same := range rows[i:] {
			if writes(same) != writes(row) {
				break
			}
			mutations = append(mutations, fmt.Sprintf("[%s](../cassandra/%s.go)", same.GraphQL, commandFile(same.GraphQL)))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.Command, strings.Join(mutations, ", "), writes(row))
	}
	return b.String()
}

// writes returns the columns that say what a command writes.
func writes(row productmap.Command) string {
	later := row.Then
	if len(row.Later) > 0 {
		later += ": " + names(row.Later)
	}
	return strings.Join([]string{string(row.Truth), row.Guard, names(row.Batch), later}, " | ")
}

func names(tables []blog.Table) string {
	var all []string
	for _, table := range tables {
		all = append(all, string(table))
	}
	return strings.Join(all, ", ")
}

// commandFile returns the base name of a mutation's file in the stores.
func commandFile(mutation string) string {
	if of, _ := blog.ReactionTo(mutation); of != nil {
		return "react"
	}
	if mutation == "suspendUser" || mutation == "restoreUser" {
		return "edit_account"
	}
	return strings.ToLower(capitals.ReplaceAllString(mutation, "_$0"))
}

var capitals = regexp.MustCompile(`[A-Z]`)

// queryTable returns the queries' half in Markdown.
func queryTable(repository fs.FS, rows []*blog.Declaration) (string, error) {
	var b strings.Builder
	b.WriteString("| | in GraphQL | `blog.Queries` | table | primary key | holds |\n|---|---|---|---|---|---|\n")
	for _, row := range rows {
		schema, err := schemaFile(repository, row.Table)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | [%s](%s) | [`%s`](%s) | %s |\n",
			row.Query, row.GraphQL, row.Method, row.Table, queryFile(row), productmap.PrimaryKey(row), schema, row.Holds)
	}
	return b.String(), nil
}

// queryFile returns the path of the file that has a table's query, in Cassandra's store where each has its own.
func queryFile(row *blog.Declaration) string {
	if _, declared := reflect.TypeFor[blog.Declared]().MethodByName(row.Method); declared {
		return "blog/declared_queries.go"
	}
	return fmt.Sprintf("cassandra/%s.go", row.Table)
}

// schemaFile returns the path of the migration that makes a table.
func schemaFile(repository fs.FS, table blog.Table) (string, error) {
	files, err := fs.Glob(repository, fmt.Sprintf("cassandra/schema/[0-9][0-9][0-9][0-9]_%s.cql", table))
	if err == nil && len(files) != 1 {
		err = errors.New("should be one file")
	}
	if err != nil {
		return "", fmt.Errorf("cassandra/schema/…_%s.cql: %w", table, err)
	}
	return files[0], nil
}
