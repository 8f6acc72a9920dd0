package house

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// most is how many files of a package may lean on each other, all directly or by others: none of
// them can be read, tested or changed alone. It holds for the product: not for the generated graph,
// nor for the one suite, whose leaves use each other's blogs.
const most = 12

// larger has the packages whose knots are larger for now: they may shrink, and not grow.
var larger = map[string]int{
	"embedded": 25,
}

func TestNoPackageIsOneKnot(t *testing.T) {
	packages := map[string][]goFile{}
	for _, f := range parsed(t) {
		if !f.isTest() && f.folder() != "graph" && f.folder() != "blog/blogtest" {
			packages[f.folder()] = append(packages[f.folder()], f)
		}
	}
	for folder, files := range packages {
		knot := largestKnot(uses(files))
		allowed := max(most, larger[folder])
		if len(knot) > allowed {
			t.Errorf("%s: %d files lean on each other, at most %d may: %s. Take out what the others stand on, as a package with its own few dependencies", folder, len(knot), allowed, strings.Join(knot, ", "))
		}
		if size, known := larger[folder]; known && len(knot) <= most {
			t.Errorf("%s: its largest knot has %d files, not %d any more: take it out of the list of larger ones", folder, len(knot), size)
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
		command := slices.Contains([]string{"create", "update", "delete", "like", "suspend", "verify", "relink"}, name[:max(strings.IndexByte(name, '_'), 0)])
		if !query && !command && name != "doc" && !strings.Contains(names, name+".go") {
			t.Errorf("%s is no query and no command, and cassandra/doc.go does not name it: a package below the store, or a line there", f.path)
		}
	}
	if files > mostFiles {
		t.Errorf("cassandra has %d files, at most %d: what knows no query and no command is a package below it", files, mostFiles)
	}
}

// uses returns which files of a package name what which others declare: functions, types,
// variables, constants, and methods. Of a name that several files declare, as methods of several
// types, it is not known whose is meant; it counts as none.
func uses(files []goFile) map[string][]string {
	declared := map[string][]string{}
	for _, f := range files {
		for _, name := range declares(f.File) {
			declared[name] = append(declared[name], f.path)
		}
	}
	uses := map[string][]string{}
	for _, f := range files {
		for _, name := range names(f.File) {
			if of := declared[name]; len(of) == 1 && of[0] != f.path && !slices.Contains(uses[f.path], of[0]) {
				uses[f.path] = append(uses[f.path], of[0])
			}
		}
	}
	return uses
}

// declares returns what a file declares; methods with a dot.
func declares(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				names = append(names, "."+d.Name.Name)
			} else {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// names returns what a file names and does not declare; what follows a dot with it, unless
// it is of an imported package.
func names(f *ast.File) (names []string) {
	unresolved := map[*ast.Ident]bool{}
	for _, name := range f.Unresolved {
		unresolved[name] = true
		names = append(names, name.Name)
	}
	imported := map[string]bool{}
	for _, i := range (goFile{File: f}).imports() {
		imported[i[strings.LastIndexByte(i, '/')+1:]] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := s.X.(*ast.Ident); !ok || !unresolved[of] || !imported[of.Name] {
				names = append(names, "."+s.Sel.Name)
			}
		}
		return true
	})
	return names
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
