// Command readmemap writes [productmap.Queries] and [productmap.Commands] into the README, each as a table
// between two marks, with links to the files that each row names.
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

// The two halves of the map, by the names in their marks.
const (
	queries  = "map"
	commands = "map of commands"
)

func begin(half string) string { return "<!-- " + half + ": begin (written by go generate) -->\n" }

func end(half string) string { return "<!-- " + half + ": end -->\n" }

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

// write leaves a README that is current already as it is.
func write(repository string) error {
	before, after, err := readme(os.DirFS(repository))
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	return os.WriteFile(filepath.Join(repository, "README.md"), after, 0o644)
}

// readme returns the repository's README as it is and as it should be.
func readme(repository fs.FS) (before, after []byte, err error) {
	before, err = fs.ReadFile(repository, "README.md")
	if err != nil {
		return nil, nil, err
	}
	rows, err := queryTable(repository, productmap.Queries)
	if err != nil {
		return nil, nil, err
	}
	if after, err = between(before, queries, rows); err != nil {
		return nil, nil, err
	}
	after, err = between(after, commands, commandTable(productmap.Commands))
	return before, after, err
}

// between returns a text with other rows between the marks of a half.
func between(text []byte, half, rows string) ([]byte, error) {
	head, rest, began := bytes.Cut(text, []byte(begin(half)))
	_, tail, ended := bytes.Cut(rest, []byte(end(half)))
	if !began || !ended {
		return nil, fmt.Errorf("README.md should have a line %q and after it a line %q", strings.TrimSpace(begin(half)), strings.TrimSpace(end(half)))
	}
	return bytes.Join([][]byte{head, []byte(begin(half) + "\n" + rows + "\n" + end(half)), tail}, nil), nil
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
			mutations = append(mutations, fmt.Sprintf("[%s](cassandra/%s.go)", same.GraphQL, commandFile(same.GraphQL)))
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
