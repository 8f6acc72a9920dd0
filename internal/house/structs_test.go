package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// mostFields is how many fields a struct of the write path has: more are several ideas.
const mostFields = 12

// mostFunctionFields is how many fields of structs are functions, in all code but tests: at each a
// reader's way to what is called ends. It may fall.
const mostFunctionFields = 70

// writePath are the folders of what commands pass.
var writePath = []string{
	"cassandra", "cassandra/cascade", "cassandra/changelog", "cassandra/counted", "cassandra/cql", "cassandra/feed", "cassandra/gap",
	"cassandra/job", "cassandra/journal", "cassandra/truth", "internal/coalesce",
}

func TestStructsAreOneIdea(t *testing.T) {
	for _, f := range parsed(t) {
		if f.isTest() || !slices.Contains(writePath, f.folder()) && f.path != "blog/reactions.go" {
			continue
		}
		eachStruct(f, func(name string, s *ast.StructType) {
			if n := s.Fields.NumFields(); n > mostFields {
				t.Errorf("%s: %s has %d fields, and a struct of the write path has %d at most: split it along its ideas", f.path, name, n, mostFields)
			}
		})
	}
}

func TestFewFieldsAreFunctions(t *testing.T) {
	var found []string
	for _, f := range parsed(t) {
		if f.isTest() {
			continue
		}
		eachStruct(f, func(name string, s *ast.StructType) {
			for _, field := range s.Fields.List {
				if _, ok := field.Type.(*ast.FuncType); ok {
					for range max(1, len(field.Names)) {
						found = append(found, f.folder()+"."+name)
					}
				}
			}
		})
	}
	if len(found) > mostFunctionFields {
		t.Errorf("%d fields of structs are functions, and %d may be: prefer a value with methods, in one of %s", len(found), mostFunctionFields, strings.Join(found, ", "))
	}
}

// eachStruct visits the struct types that a file declares. An embedded field is one.
func eachStruct(f goFile, visit func(name string, s *ast.StructType)) {
	ast.Inspect(f.File, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if s, ok := spec.Type.(*ast.StructType); ok {
				visit(spec.Name.Name, s)
			}
		}
		return true
	})
}
