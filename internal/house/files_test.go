package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "broadsheet"

// root is where the files are that tests name. The tests don't change to it: go test keeps a
// result for as long as the files that were read stay as they are, and where TestMain changes
// the directory it looks for them in another.
const root = "../.."

func at(name string) string { return filepath.Join(root, name) }

// glob returns the files that match a pattern, named from the root.
func glob(pattern string) ([]string, error) {
	found, err := filepath.Glob(at(pattern))
	for i, file := range found {
		found[i] = strings.TrimPrefix(filepath.ToSlash(file), root+"/")
	}
	return found, err
}

// goFile is a file of the module.
type goFile struct {
	path string // from the root, with slashes
	*ast.File
	set *token.FileSet
}

// line returns the number of the line where a part of the file begins.
func (f goFile) line(n ast.Node) int { return f.set.Position(n.Pos()).Line }

func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// folder is that of the file's package; the root's is ".".
func (f goFile) folder() string { return path.Dir(f.path) }

// imports returns the paths of what the file imports.
func (f goFile) imports() []string {
	var paths []string
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, imported)
	}
	return paths
}

// goFiles returns every Go file of the repository, whatever system it is for.
var goFiles = sync.OnceValues(func() ([]goFile, error) {
	var files []goFile
	paths, err := filesNamed(".go")
	for _, p := range paths {
		set := token.NewFileSet()
		file, perr := parser.ParseFile(set, at(p), nil, parser.ParseComments)
		if perr != nil {
			return nil, perr
		}
		files = append(files, goFile{p, file, set})
	}
	return files, err
})

// filesNamed returns the repository's files whose names end so, but for those of
// tools and of the embedded store, which are not the project's.
func filesNamed(endings ...string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(p string, entry fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		p = strings.TrimPrefix(filepath.ToSlash(p), root+"/")
		switch name := entry.Name(); {
		case entry.IsDir() && (name[0] == '.' || name == "node_modules" || p == "data"):
			return fs.SkipDir
		}
		for _, ending := range endings {
			if !entry.IsDir() && strings.HasSuffix(p, ending) {
				found = append(found, p)
			}
		}
		return nil
	})
	return found, err
}

// parsed is goFiles for a test.
func parsed(t *testing.T) []goFile {
	t.Helper()
	files, err := goFiles()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// text returns a file's text, a failure where there is none.
func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(at(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wantMethod fails the test where a file doesn't declare a method of a type.
func wantMethod(t *testing.T, file, receiver, method string) {
	t.Helper()
	for _, f := range parsed(t) {
		if f.path == file && slices.Contains(f.methods(receiver), method) {
			return
		}
	}
	t.Errorf("%s does not declare %s of %s: a newcomer looks for it there", file, method, receiver)
}

// methods returns the names of the methods that a file declares on a type.
func (f goFile) methods(receiver string) []string {
	var names []string
	for _, declaration := range f.Decls {
		fn, ok := declaration.(*ast.FuncDecl)
		if !ok || fn.Recv == nil {
			continue
		}
		of := fn.Recv.List[0].Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		if name, ok := of.(*ast.Ident); ok && name.Name == receiver {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// valueOf returns the strings in the value of a file's constant or variable.
func valueOf(t *testing.T, file, name string) (value string, found bool) {
	t.Helper()
	for _, f := range parsed(t) {
		if f.path != file {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Names[0].Name != name {
				return true
			}
			found = true
			ast.Inspect(spec, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok {
					value += literal.Value
				}
				return true
			})
			return false
		})
	}
	return value, found
}

func exists(file string) bool {
	_, err := os.Stat(at(file))
	return err == nil
}
