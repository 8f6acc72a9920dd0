package plan

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

var schema = gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { a: Int b: Int c: Int d: Int e: Int }`})

// operationOf is a request of a document's only operation.
func operationOf(t *testing.T, schema *ast.Schema, text string) *graphql.OperationContext {
	t.Helper()
	doc, errs := gqlparser.LoadQuery(schema, text)
	if errs != nil {
		t.Fatal(errs)
	}
	return &graphql.OperationContext{Doc: doc, Operation: doc.Operations[0]}
}

func (p *Plan) aliases() (names []string) {
	for _, f := range p.query.fields {
		names = append(names, f.Alias)
	}
	return names
}

// An operation has one plan for each choice of what is skipped, however many choices it has.
func TestPlansAreByWhatIsSkipped(t *testing.T) {
	t.Parallel()
	plans := New(schema, nil)
	first := operationOf(t, schema, `query($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!, $e: Boolean!) {
		a @skip(if: $a) b @skip(if: $b) c @include(if: $c) ...D ... @include(if: $e) { e } } fragment D on Query { d @skip(if: $d) }`)
	before := map[int]*Plan{}
	for range 2 {
		for choice := range 32 {
			oc := &graphql.OperationContext{Doc: first.Doc, Operation: first.Operation, Variables: map[string]any{}}
			var want []string
			for i, name := range []string{"a", "b", "c", "d", "e"} {
				set := choice&(1<<i) != 0
				oc.Variables[name] = set
				if set == (name == "c" || name == "e") {
					want = append(want, name)
				}
			}
			plan := plans.Of(oc)
			if got := plan.aliases(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v: the plan has %v", oc.Variables, got)
			}
			if kept := before[choice]; kept != nil && kept != plan {
				t.Errorf("%v: the plan was not kept", oc.Variables)
			}
			before[choice] = plan
		}
	}
}

// Clients that send ever new documents don't fill the memory: what is kept of them takes
// about what it is said to weigh.
func TestWhatIsKeptIsBounded(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { q: Query a(x: Int): Int b: Int i: I } interface I { a: Int } type J implements I { a: Int } type K implements I { a: Int }`})
	const variables = "query($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!) "
	for name, text := range map[string]string{
		"fields":    `{` + repeat(300, "a%d: b ") + `}`,
		"nesting":   `{` + strings.Repeat("q { b ", 100) + strings.Repeat("}", 100) + `}`,
		"arguments": `{` + repeat(200, "a%d: a(x: 1) ") + `}`,
		"types":     `{` + strings.Repeat("q { i { a __typename } ", 50) + strings.Repeat("}", 50) + `}`,
		"variants":  variables + `{a @skip(if: $a) b @skip(if: $b) q { a @skip(if: $c) b @skip(if: $d) ...F} } fragment F on Query {` + strings.Repeat("q { b ", 100) + strings.Repeat("}", 100) + `}`,
		"spreads":   `{` + strings.Repeat("q {...F ", 50) + strings.Repeat("}", 50) + `} fragment F on Query {i {a} a b __typename}`,
		"text":      `{a}` + strings.Repeat(",", 200_000),
		"much text": `{a}` + strings.Repeat(",", maxBytes/8),
	} {
		plans := New(schema, nil)
		before := inUse()
		for i := range 60 {
			oc := operationOf(t, schema, text+strings.Repeat(" ", i%7))
			for choice := range 16 {
				oc.Variables = map[string]any{"a": choice&1 != 0, "b": choice&2 != 0, "c": choice&4 != 0, "d": choice&8 != 0}
				plans.Of(oc)
			}
		}
		taken := inUse() - before
		t.Logf("%s: %d plans of documents of %d bytes are kept, which take %d kB and weigh %d kB", name, plans.kept.Len(), len(text), taken>>10, plans.kept.Weight()>>10)
		if plans.kept.Len() > maxPlans || plans.kept.Weight() > maxBytes || taken > maxBytes*3/2 {
			t.Errorf("%s: too much is kept", name)
		}
		runtime.KeepAlive(plans)
	}
}

// repeat returns a text so many times, each with its number.
func repeat(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// inUse returns what is in use of memory, in bytes, after a collection.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
