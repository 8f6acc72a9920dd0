package embedded

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const columnsFile = "testdata/columns.golden"

// The order of a value's fields is what directories hold: blog.Family.Columns, and for what is not declared
// the encode functions. Fields may be added at the end only.
func TestColumnsAreOnlyAdded(t *testing.T) {
	now, golden := columnLists(t), readColumnLists(t)
	if slices.Equal(now.lines(), golden.lines()) {
		return
	}
	for name, was := range golden.of {
		if is, stands := now.of[name]; stands && !grown(was, is) {
			t.Errorf("%s\n has %s\nhad %s\n"+
				"Directories hold values of before: put what is new at the end, say since which revision it is there or read it by added (values.go).", name, is, was)
		}
	}
	if now.revision <= golden.revision {
		t.Errorf("what values hold has changed: have Since of the new column or table, or the first revision in format.go, above %d", golden.revision)
	}
	switch {
	case t.Failed():
	case !*update:
		t.Errorf("keep the new lists: go test ./embedded -run %s -update", t.Name())
	default:
		if err := os.WriteFile(columnsFile, []byte(strings.Join(now.lines(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// grown reports whether a list is another one, or that one with more fields that values
// may lack.
func grown(was, is string) bool {
	if was == is {
		return true
	}
	next := " | "
	if strings.Contains(was, next) {
		next = ", "
	}
	return strings.HasPrefix(is, was+next)
}

// lists are the fields of each kind of value, by its table and cell. Those that a value
// may lack stand after a bar.
type lists struct {
	revision int
	of       map[string]string
}

func (l lists) lines() []string {
	all := []string{fmt.Sprint("revision ", l.revision)}
	for name, list := range l.of {
		all = append(all, name+": "+list)
	}
	slices.Sort(all[1:])
	return all
}

func columnLists(t *testing.T) lists {
	l := lists{revision, map[string]string{}}
	for _, g := range declaredGroups() {
		first := len(g.Columns) - g.Added()
		l.add(t, tables[g.Table], g.Cell, g.Static(), g.Columns[:first].Names(), g.Columns[first:].Names())
	}
	for _, truth := range truthValues() {
		names := fieldNames(t, truth.value)
		first := len(names)
		for first > 0 && truth.read(string(cut(t, truth.value, first-1))) == nil {
			first--
		}
		l.add(t, truth.table, truth.cell, truth.static, names[:first], names[first:])
	}
	return l
}

func (l lists) add(t *testing.T, at *table, cell byte, static bool, first, added []string) {
	name := fmt.Sprintf("%s %d", at.name, cell)
	if static {
		name += " above the rows"
	}
	if l.of[name] != "" {
		t.Fatalf("two values stand at %s", name)
	}
	l.of[name] = strings.Join(first, ", ")
	if len(added) > 0 {
		l.of[name] += " | " + strings.Join(added, ", ")
	}
}

// truthValue is a value of a truth, and how it is read.
type truthValue struct {
	table  *table
	cell   byte
	static bool
	value  []byte
	read   func(string) error
}

// declaredGroups are those of truths and of copies.
func declaredGroups() []*blog.Family {
	all := blog.Families()
	for _, d := range blog.Declarations {
		all = append(all, d.Truth...)
	}
	return slices.DeleteFunc(all, func(g *blog.Family) bool { return tables[g.Table] == nil })
}

// truthValues are what has no declared family, as it is written and as it is read.
func truthValues() []truthValue {
	count := func(value string) error { _, err := sole[blog.Count](value); return err }
	owner := func(value string) error { _, err := sole[blog.UserID](value); return err }
	all := []truthValue{
		{commentsByPost, countCell, true, new(scratch).encodeHead(commentsHead{}), func(v string) error { _, err := decodeCommentsHead(v); return err }},
		{usernameClaims, truthCell, false, encode(0, blog.UserID{}), owner},
		{emailClaims, truthCell, false, encode(0, blog.UserID{}), owner},
		{subjectClaims, truthCell, false, encode(0, blog.UserID{}), owner},
	}
	for _, k := range blog.ReactionKinds {
		all = append(all, truthValue{tables[k.Table], countCell, true, encode(1, 0), count})
	}
	return all
}

// fieldNames are what the types of a value's fields are called.
func fieldNames(t *testing.T, value []byte) (names []string) {
	t.Helper()
	f := decode(string(value))
	for f.err == nil && f.unread != "" {
		name := fmt.Sprintf("%T", nextField(f))
		names = append(names, strings.TrimPrefix(name, "blog."))
	}
	if f.err != nil {
		t.Fatal(f.err)
	}
	return names
}

func readColumnLists(t *testing.T) lists {
	l := lists{of: map[string]string{}}
	text, err := os.ReadFile(columnsFile)
	if os.IsNotExist(err) {
		return l
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if _, err := fmt.Sscanf(lines[0], "revision %d", &l.revision); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		name, list, _ := strings.Cut(line, ": ")
		l.of[name] = list
	}
	return l
}

// A function that decodes a value asks for its end, which tells a newer program's fields from damage.
func TestEveryDecodedValueIsReadToItsEnd(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if !isFunc || f.Body == nil {
				continue
			}
			if begun, ended := decodings(f.Body); begun > ended {
				t.Errorf("%s: %s decodes %d values and asks for the end of %d", fset.Position(f.Pos()), f.Name.Name, begun, ended)
			}
		}
	}
}

// decodings counts the values that a function begins to decode and keeps, and those that
// it reads to the end.
func decodings(body *ast.BlockStmt) (begun, ended int) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if call, ok := n.Rhs[0].(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "decode" {
					begun++
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "end" {
				ended++
			}
		}
		return true
	})
	return begun, ended
}
