package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// The language fixes the order in which a return statement's calls are made, and leaves open
// whether a variable beside them is read before or after. A result that is read must not
// depend on a call beside it:
//
//	return string(found), closer.Close()   what was found is given back first, then copied
//	return p, decodeCounts(&p, value)      p with its counts, or without them
//	return field[string](f), f.err         the fault of this field, or of those before it
//
// The rule goes by what the statement shows: a call that has the address of what another
// result reads; one that has, or is a method of, what keeps a fault of its own that another
// result reads; one whose name says that it ends something, on which any other may depend.
func TestNoResultIsReadBesideWhatChangesIt(t *testing.T) {
	for _, f := range parsed(t) {
		for statement, read := range readBesideTheirChange(f.File) {
			t.Errorf("%s:%d: %s is read beside a call that may change it, in an order that the language leaves open: call first, then return", f.path, f.line(statement), read)
		}
	}
}

// The rule itself: what it is to find, and what it is to leave alone.
func TestTheRuleOfResults(t *testing.T) {
	for statement, found := range map[string]bool{
		"return string(b), closer.Close()":               true,
		"return found, group.Wait()":                     true,
		"return p, decode(&p)":                           true,
		"return p.Title, decode(&p)":                     true,
		"return p, decode(&p.Counts)":                    true,
		"return field[string](f), f.err":                 true,
		"return Count{N: field[int](f)}, f.err":          true,
		"return r.next(), r.err":                         true,
		"return nil, closer.Close()":                     false,
		"return Post{}, closer.Close()":                  false,
		"return it.Key(), it.Error()":                    false,
		"return p, check(p)":                             false,
		"return p.ID, copiesOf(p), err":                  false,
		"return p.Ref(), p.Version > 0, err":             false,
		"return p, errors.New(message)":                  false,
		"return p, fmt.Errorf(\"%s: %w\", p.Title, err)": false,
		"return a.b, c.d()":                              false,
		"return func() { f.close() }, f.err":             false,
		"return len(f.rest), f.err":                      false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+statement+"\n}", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(readBesideTheirChange(file)) > 0; got != found {
			t.Errorf("%s: found %v, want %v", statement, got, found)
		}
	}
}

// readBesideTheirChange returns the variables that return statements read beside calls that
// may change them.
func readBesideTheirChange(file *ast.File) map[*ast.ReturnStmt]string {
	found := map[*ast.ReturnStmt]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		statement, ok := n.(*ast.ReturnStmt)
		if !ok {
			return true
		}
		for i, changing := range statement.Results {
			for j, reading := range statement.Results {
				if read := firstRead(reading, callsOf(changing)); i != j && read != "" {
					found[statement] = read
				}
			}
		}
		return true
	})
	return found
}

// firstRead returns a variable that a result reads and one of some calls may change.
func firstRead(result ast.Expr, calls []*ast.CallExpr) string {
	for _, read := range readsOf(result) {
		if slices.ContainsFunc(calls, func(call *ast.CallExpr) bool { return mayChange(call, read) }) {
			return read.root
		}
	}
	return ""
}

// aRead is a variable that is read, whole or in part.
type aRead struct {
	root  string
	fault bool // what is read is a field that keeps an error
}

// mayChange reports whether a call may change what is read.
func mayChange(call *ast.CallExpr, read aRead) bool {
	if ends(call) {
		return true
	}
	for _, argument := range call.Args {
		if address, ok := argument.(*ast.UnaryExpr); ok && address.Op == token.AND && rootOf(address.X) == read.root {
			return true
		}
		if name, ok := argument.(*ast.Ident); ok && read.fault && name.Name == read.root {
			return true
		}
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && read.fault && rootOf(method.X) == read.root
}

// ends reports whether a call's name says that something ends with it.
func ends(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Close", "Wait", "Release", "Free", "Stop", "Flush", "Commit"}, method.Sel.Name)
}

// callsOf returns the calls that a result makes; not those of a function that it is, nor
// those of the language, which change nothing.
func callsOf(result ast.Expr) (calls []*ast.CallExpr) {
	ast.Inspect(result, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !ofTheLanguage(call) {
			calls = append(calls, call)
		}
		_, function := n.(*ast.FuncLit)
		return !function
	})
	return calls
}

// readsOf returns the variables that a result reads beside its calls. A conversion, such as
// string(b), is a reading; what a call is given has been read when it is made.
func readsOf(result ast.Expr) (reads []aRead) {
	ast.Inspect(result, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return ofTheLanguage(n)
		case *ast.FuncLit:
			return false
		case *ast.KeyValueExpr:
			reads = append(reads, readsOf(n.Value)...)
			return false
		case *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr, *ast.SliceExpr:
			if root := rootOf(n.(ast.Expr)); root != "" {
				field, ok := n.(*ast.SelectorExpr)
				reads = append(reads, aRead{root, ok && strings.EqualFold(field.Sel.Name, "err")})
			}
			return false
		case *ast.CompositeLit:
			for _, element := range n.Elts {
				reads = append(reads, readsOf(element)...)
			}
			return false
		case *ast.Ident:
			if !slices.Contains([]string{"nil", "true", "false"}, n.Name) {
				reads = append(reads, aRead{root: n.Name})
			}
		}
		return true
	})
	return reads
}

// ofTheLanguage reports whether a call is a conversion or one of Go's own functions.
func ofTheLanguage(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	return ok && slices.Contains(strings.Fields("string int int64 uint64 float64 byte len cap min max append"), name.Name)
}

// rootOf returns the variable of which an expression is a part, empty where it is of none.
func rootOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return rootOf(e.X)
	case *ast.StarExpr:
		return rootOf(e.X)
	case *ast.IndexExpr:
		return rootOf(e.X)
	case *ast.SliceExpr:
		return rootOf(e.X)
	case *ast.ParenExpr:
		return rootOf(e.X)
	}
	return ""
}
