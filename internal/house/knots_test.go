package house

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// most is how many files of a package may lean on each other, all directly or by others: none of
// them can be read, tested or changed alone. It holds for the product: not for the generated graph,
// nor for the one suite, whose leaves use each other's blogs.
const most = 12

func TestNoPackageIsOneKnot(t *testing.T) {
	packages, exports := compiled(t)
	for _, p := range packages {
		if folder := strings.TrimPrefix(p.ImportPath, "broadsheet/"); folder == "graph" || folder == "internal/storetest" {
			continue
		}
		if knot := largestKnot(uses(t, p, exports)); len(knot) > most {
			t.Errorf("%s: %d files lean on each other, at most %d may: %s. Take out what the others stand on, as a package with its own few dependencies", p.ImportPath, len(knot), most, strings.Join(knot, ", "))
		}
	}
}

// The store of Cassandra is its queries, in the files of their tables, its commands, and little else:
// what its doc.go names.
func TestTheStoreIsItsQueriesAndCommands(t *testing.T) {
	const mostFiles = 40
	tables, err := glob("cassandra/schema/*.cql")
	if err != nil {
		t.Fatal(err)
	}
	files, names := 0, text(t, "cassandra/doc.go")
	for _, f := range parsed(t) {
		if f.folder() != "cassandra" || f.isTest() {
			continue
		}
		files++
		name := strings.TrimSuffix(path.Base(f.path), ".go")
		query := slices.ContainsFunc(tables, func(table string) bool { return strings.HasSuffix(table, "_"+name+".cql") })
		command := slices.Contains([]string{"create", "update", "delete", "like", "suspend", "verify", "relink", "set"}, name[:max(strings.IndexByte(name, '_'), 0)])
		if !query && !command && name != "doc" && !strings.Contains(names, name+".go") {
			t.Errorf("%s is no query and no command, and cassandra/doc.go does not name it: a package below the store, or a line there", f.path)
		}
	}
	if files > mostFiles {
		t.Errorf("cassandra has %d files, at most %d: what knows no query and no command is a package below it", files, mostFiles)
	}
}

// listed is a package as go list tells of it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// compiled returns the packages of the repository, and for each package that they stand on the file
// that the compiler wrote of it.
func compiled(t *testing.T) (own []listed, exports map[string]string) {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	list.Dir = at(".")
	out, err := list.Output()
	if err != nil {
		t.Fatal("go list:", err)
	}
	exports = map[string]string{}
	for all := json.NewDecoder(bytes.NewReader(out)); all.More(); {
		var p listed
		if err := all.Decode(&p); err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.ImportPath == "broadsheet" || strings.HasPrefix(p.ImportPath, "broadsheet/") {
			own = append(own, p)
		}
	}
	return own, exports
}

// uses returns which files of a package name what which others declare: functions, methods, types,
// variables and constants of the package.
func uses(t *testing.T, p listed, exports map[string]string) map[string][]string {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	from := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: from}).Check(p.ImportPath, files, parsed, info); err != nil {
		t.Fatal(err)
	}
	uses := map[string][]string{}
	for name, of := range info.Uses {
		if of.Pkg() == nil || of.Pkg().Path() != p.ImportPath || !declared(of) {
			continue
		}
		user, maker := path.Base(files.Position(name.Pos()).Filename), path.Base(files.Position(of.Pos()).Filename)
		if user != maker && !slices.Contains(uses[user], maker) {
			uses[user] = append(uses[user], maker)
		}
	}
	return uses
}

// declared reports whether an object is a package's own, or a method: no field, and nothing of a
// function's.
func declared(of types.Object) bool {
	if f, ok := of.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return of.Parent() == of.Pkg().Scope()
}

// largestKnot returns the most files each of which leads to all others: Tarjan's algorithm.
func largestKnot(uses map[string][]string) (largest []string) {
	order, low, open := map[string]int{}, map[string]int{}, []string{}
	var visit func(file string)
	visit = func(file string) {
		order[file] = len(order) + 1
		low[file] = order[file]
		open = append(open, file)
		for _, next := range uses[file] {
			if order[next] == 0 {
				visit(next)
				low[file] = min(low[file], low[next])
			} else if slices.Contains(open, next) {
				low[file] = min(low[file], order[next])
			}
		}
		if low[file] == order[file] {
			i := slices.Index(open, file)
			if knot := open[i:]; len(knot) > len(largest) {
				largest = slices.Sorted(slices.Values(knot))
			}
			open = open[:i:i]
		}
	}
	for file := range uses {
		if order[file] == 0 {
			visit(file)
		}
	}
	return largest
}

func TestKnots(t *testing.T) {
	for name, c := range map[string]struct {
		uses map[string][]string
		want []string
	}{
		"none":            {map[string][]string{"a": {"b"}, "b": {"c"}, "c": nil}, []string{"a"}},
		"two of four":     {map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b", "d"}}, []string{"b", "c"}},
		"by others":       {map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}, []string{"a", "b", "c"}},
		"two, one larger": {map[string][]string{"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"e"}, "e": {"c"}}, []string{"c", "d", "e"}},
	} {
		got := largestKnot(c.uses)
		if len(got) != len(c.want) || len(got) > 1 && !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
