// Command tablegen writes what follows from [blog.Declarations]: in both stores what reads the rows
// of lists, and their cursors. From
// [blog.ReactionKinds] it writes what both stores, the resolvers and the tests have of each
// kind, and from [blog.Queries] what shares queries, and what wraps them.
package main

//go:generate go run . ../..

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"

	"broadsheet/blog"
)

const (
	declarations = "blog/declarations.go"
	queriesFile  = "blog/queries.go"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tablegen REPOSITORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "tablegen:", err)
		os.Exit(1)
	}
}

// write leaves a file that is current already as it is.
func write(repository string) error {
	made, err := generate(repository)
	if err != nil {
		return err
	}
	for name, text := range made {
		file := filepath.Join(repository, name)
		if before, err := os.ReadFile(file); err == nil && bytes.Equal(before, text) {
			continue
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the generated files, by their names in the repository.
func generate(repository string) (map[string][]byte, error) {
	source, err := os.ReadFile(filepath.Join(repository, declarations))
	if err != nil {
		return nil, err
	}
	names, err := goNames(source) // those that its values have in Go
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	if made["cassandra/lists_gen.go"], made["embedded/lists_gen.go"], err = readers(names); err != nil {
		return nil, err
	}
	if made["cassandra/tables/users_gen.go"], err = users(); err != nil {
		return nil, err
	}
	if made["internal/relay/lists_gen.go"], err = cursors(names); err != nil {
		return nil, err
	}
	for folder, receiver := range map[string]string{"cassandra": "s *Store", "embedded": "s *Store", "internal/storetest": "s *Model"} {
		if made[folder+"/reactions_gen.go"], err = reacting(path.Base(folder), receiver); err != nil {
			return nil, err
		}
	}
	if made["internal/storetest/reacting_gen.go"], err = reactingOfTests(); err != nil {
		return nil, err
	}
	if made["resolvers/reaction_kinds_gen.go"], made["resolvers/reactions_gen.go"], err = reactingResolvers(); err != nil {
		return nil, err
	}
	if source, err = os.ReadFile(filepath.Join(repository, queriesFile)); err != nil {
		return nil, err
	}
	queries, err := queriesOf(source)
	if err != nil {
		return nil, err
	}
	if made["internal/share/queries_gen.go"], err = sharing(queries); err != nil {
		return nil, err
	}
	made["internal/through/queries_gen.go"], err = wrapped(queries)
	return made, err
}

// goName has the names in Go of a declaration's table and groups.
type goName struct {
	table  string
	groups []string
}

// goNames reads the names from the source, in the order of the declarations.
func goNames(source []byte) (names []goName, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), declarations, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		value, ok := n.(*ast.ValueSpec)
		if !ok || value.Names[0].Name != "Declarations" {
			return true
		}
		for _, d := range value.Values[0].(*ast.CompositeLit).Elts {
			names = append(names, nameOf(d.(*ast.CompositeLit)))
		}
		return false
	})
	if len(names) != len(blog.Declarations) {
		return nil, fmt.Errorf("%s has %d declarations in its text, and %d as it runs", declarations, len(names), len(blog.Declarations))
	}
	return names, nil
}

func nameOf(d *ast.CompositeLit) (name goName) {
	for _, e := range d.Elts {
		field := e.(*ast.KeyValueExpr)
		switch field.Key.(*ast.Ident).Name {
		case "Table":
			name.table = field.Value.(*ast.Ident).Name
		case "Rows", "Above": // in this order, as Groups has them
			for _, g := range field.Value.(*ast.CompositeLit).Elts {
				name.groups = append(name.groups, g.(*ast.Ident).Name)
			}
		}
	}
	return name
}
