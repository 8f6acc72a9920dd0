// Command readmemap writes [blog.Map] into the README, as a table between two
// marks, with links to the files that each row names.
package main

//go:generate go run . ../..

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"broadsheet/blog"
)

const (
	begin = "<!-- map: begin (written by go generate) -->\n"
	end   = "<!-- map: end -->\n"
)

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
	head, rest, began := bytes.Cut(before, []byte(begin))
	_, tail, ended := bytes.Cut(rest, []byte(end))
	if !began || !ended {
		return nil, nil, fmt.Errorf("README.md should have a line %q and after it a line %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	rows, err := table(repository, blog.Map)
	if err != nil {
		return nil, nil, err
	}
	return before, bytes.Join([][]byte{head, []byte(begin + "\n" + rows + "\n" + end), tail}, nil), nil
}

// table returns the map in Markdown.
func table(repository fs.FS, rows []*blog.Declaration) (string, error) {
	var b strings.Builder
	b.WriteString("| | in GraphQL | `blog.Queries` | table | primary key | holds |\n|---|---|---|---|---|---|\n")
	for _, row := range rows {
		schema, err := schemaFile(repository, row.Table)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | [%s](cassandra/%[4]s.go) | [`%s`](%s) | %s |\n",
			row.Query, row.GraphQL, row.Method, row.Table, row.PrimaryKey(), schema, row.Holds)
	}
	return b.String(), nil
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
