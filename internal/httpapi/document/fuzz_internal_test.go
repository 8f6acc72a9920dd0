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
	limits := limit.Values{limit.Tokens: 400, limit.Depth: 6, limit.Selections: 60, limit.Aliases: 5, limit.Directives: 5}
	f.Fuzz(func(t *testing.T, text string) {
		d := New(fuzzed, nil, &limits, true)
		_, doc, errs := d.Prepare(t.Context(), nil, text)
		if (doc == nil) != (errs != nil) {
			t.Fatalf("a document %v, and errors %v", doc, errs)
		}
		for _, err := range errs {
			if err.Extensions["code"] == nil {
				t.Errorf("no code: %v", err)
			}
		}
		if _, again, _ := d.Prepare(t.Context(), nil, text); (again == nil) != (doc == nil) {
			t.Error("a second time it is otherwise")
		}
		parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, limits.Int(limit.Tokens))
		if err != nil {
			return
		}
		measured, cycle := measure(parsed)
		if cycle != nil {
			if doc != nil || !strings.Contains(cycle.Message, "within itself") {
				t.Errorf("it has a circle, and passes: %v", cycle)
			}
			return
		}
		written, whole := writeOut(parsed)
		if whole && written != measured {
			t.Errorf("written out it is %+v, measured %+v", written, measured)
		}
		if doc != nil && (!whole || check(&limits, written) != nil || comparisons(parsed) > maxComparisons) {
			t.Errorf("it passes, and is %+v", written)
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
		s := w.of(op.SelectionSet, 0)
		s.directives += len(op.Directives)
		for _, v := range op.VariableDefinitions {
			s.directives += len(v.Directives)
		}
		all = all.beside(s)
	}
	for _, f := range doc.Fragments {
		if f = w.fragments[f.Name]; f != nil {
			s := w.of(f.SelectionSet, 0)
			s.directives += len(f.Directives)
			all = all.beside(s)
		}
	}
	return all, w.n <= naively
}

type writing struct {
	fragments map[string]*ast.FragmentDefinition
	n         int
}

// valuesOfAll is valuesOf for directives.
func valuesOfAll(directives ast.DirectiveList) (n int) {
	for _, d := range directives {
		n += valuesOf(d.Arguments)
	}
	return n
}

func (w *writing) of(set ast.SelectionSet, depth int) (all size) {
	all.depth = depth
	for _, selection := range set {
		if w.n++; w.n > naively {
			return all
		}
		all.selections++
		var below size
		switch s := selection.(type) {
		case *ast.Field:
			below = w.of(s.SelectionSet, depth+1)
			below.directives += len(s.Directives)
			below.selections += valuesOf(s.Arguments) + valuesOfAll(s.Directives)
			if s.Alias != s.Name {
				below.aliases++
			}
			below.introspects = below.introspects || s.Name == "__schema" || s.Name == "__type"
		case *ast.InlineFragment:
			below = w.of(s.SelectionSet, depth)
			below.directives += len(s.Directives)
			below.selections += valuesOfAll(s.Directives)
		case *ast.FragmentSpread:
			if f := w.fragments[s.Name]; f != nil {
				below = w.of(f.SelectionSet, depth)
				below.directives += len(f.Directives)
			}
			below.directives += len(s.Directives)
			below.selections += valuesOfAll(s.Directives)
		}
		all = all.and(below)
	}
	return all
}
