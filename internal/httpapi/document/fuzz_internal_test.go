package document

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"broadsheet/internal/httpapi/limit"
)

// fuzzed is a schema with what documents may differ in.
var fuzzed = gqlparser.MustLoadSchema(&ast.Source{Input: `
	type Query { a(n: Int, s: String, l: [Int!], i: In): Query b: String c: [Node!]! }
	interface Node { id: ID! a: Query }
	type Leaf implements Node { id: ID! a: Query }
	input In { n: Int = 1 i: In }
	type Mutation { m(i: In!): Query }
`})

// naively is the largest expansion that is compared.
const naively = 5_000

// What is measured of a document is what it stands for, each fragment written out; and
// only what is within the limits passes, whatever the text.
func FuzzPrepare(f *testing.F) {
	for _, text := range []string{
		"{a {b}}", "query Q($v: Int = 1) {a(n: $v) {b @skip(if: true)}}", "{x: a {...F ...F}} fragment F on Query {b c {id ... on Leaf {a {b}}}}",
		"{...A} fragment A on Query {...B ...B} fragment B on Query {...C ...C} fragment C on Query {b}", "{...A} fragment A on Query {a {...A}}",
		"query A {b} query B {b}", "mutation @d {m(i: {n: 1, i: {n: 2}}) {b}}", "{__schema {types {fields {name}}}}", "fragment A on Query {b}", "{", "",
		"{a(s: \"\"\"\n x\n\"\"\") {b}} # \u2026", "subscription {b}", "{...{...{b}}}", "{...A} {...A} fragment A on Query {b} fragment A on Query {a {b}}",
	} {
		f.Add(text)
	}
	limits := limit.Values{limit.Tokens: 400, limit.Depth: 6, limit.Selections: 60, limit.Aliases: 60, limit.Directives: 60}
	f.Fuzz(func(t *testing.T, text string) {
		d := New(fuzzed, nil, &limits, true)
		doc, errs := d.Prepare(t.Context(), nil, text)
		if (doc == nil) != (errs != nil) {
			t.Fatalf("a document %v, and errors %v", doc, errs)
		}
		for _, err := range errs {
			if err.Extensions["code"] == nil {
				t.Errorf("no code: %v", err)
			}
		}
		if again, _ := d.Prepare(t.Context(), nil, text); (again == nil) != (doc == nil) {
			t.Error("a second time it is otherwise")
		}
		parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, limits.Int(limit.Tokens))
		if err != nil {
			return
		}
		measured, refused := measure(parsed, &limits)
		if refused != nil {
			if doc != nil {
				t.Errorf("it is refused, and passes: %v", refused)
			}
			if strings.Contains(refused.Message, "within itself") {
				return
			}
		}
		written, whole := writeOut(parsed)
		switch written.compared = measured.compared; {
		case whole && refused == nil && written != measured:
			t.Errorf("written out it is %+v, measured %+v", written, measured)
		case (!whole || written.selections > 60 || written.depth > 6 || written.compared > maxComparisons) != (refused != nil):
			t.Errorf("%v, and it is %+v", refused, written)
		}
	})
}

// writeOut measures a document by following every spread. whole is false where it is too
// large for that. The document has no circle.
func writeOut(doc *ast.QueryDocument) (all size, whole bool) {
	w := &writing{fragments: map[string]*ast.FragmentDefinition{}}
	for _, f := range doc.Fragments {
		w.fragments[f.Name] = f
	}
	for _, op := range doc.Operations {
		all = both(all, w.of(op.SelectionSet, 1))
		all.selections += directives(op.Directives)
		for _, v := range op.VariableDefinitions {
			all.selections += directives(v.Directives)
		}
	}
	for _, f := range doc.Fragments {
		if f = w.fragments[f.Name]; f != nil {
			all = both(all, w.of(f.SelectionSet, 1))
			all.selections += directives(f.Directives)
		}
	}
	return all, w.n <= naively
}

type writing struct {
	fragments map[string]*ast.FragmentDefinition
	n         int
}

func both(a, b size) size {
	return size{selections: a.selections + b.selections, depth: max(a.depth, b.depth), introspects: a.introspects || b.introspects}
}

func (w *writing) of(set ast.SelectionSet, depth int) (all size) {
	if all.depth = depth; len(set) == 0 {
		all.depth--
	}
	for _, selection := range set {
		if w.n++; w.n > naively {
			return all
		}
		all.selections++
		switch s := selection.(type) {
		case *ast.Field:
			all = both(all, w.of(s.SelectionSet, depth+1))
			all.selections += values(s.Arguments) + directives(s.Directives)
			all.introspects = all.introspects || s.Name == "__schema" || s.Name == "__type"
		case *ast.InlineFragment:
			all = both(all, w.of(s.SelectionSet, depth))
			all.selections += directives(s.Directives)
		case *ast.FragmentSpread:
			if f := w.fragments[s.Name]; f != nil {
				all = both(all, w.of(f.SelectionSet, depth))
				all.selections += directives(f.Directives)
			}
			all.selections += directives(s.Directives)
		}
	}
	return all
}

// directives returns how many directives there are, with the values of their arguments.
func directives(all ast.DirectiveList) (n int) {
	for _, d := range all {
		n += 1 + values(d.Arguments)
	}
	return n
}
