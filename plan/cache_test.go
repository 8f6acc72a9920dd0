package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

var schema = gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { a: Int b: Int c: Int d: Int e: Int }`})

// operationOf is a request of a document's only operation.
func operationOf(t *testing.T, text string) *graphql.OperationContext {
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
	first := operationOf(t, `query($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!, $e: Boolean!) {
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
			if kept := before[choice]; kept != nil && choice < maxVariants && kept != plan {
				t.Errorf("%v: the plan was not kept", oc.Variables)
			}
			before[choice] = plan
		}
	}
	if kept := len(plans.operation(first).plans); kept != maxVariants {
		t.Errorf("%d plans are kept", kept)
	}
}

// Clients that send ever new documents don't fill the memory.
func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	plans := New(schema, nil)
	for i, size := range []int{10, 200_000, 300_000} {
		for range 1_200 / (1 + 50*i) {
			plans.Of(operationOf(t, "{a}"+strings.Repeat(",", size)))
		}
		if plans.kept.Len() > maxOperations || plans.bytes > maxBytes {
			t.Errorf("%d documents of %d bytes are kept", plans.kept.Len(), plans.bytes)
		}
	}
	if plans.kept.Len() != maxBytes/200_003 {
		t.Errorf("%d documents are kept: those that are too long should not push others out", plans.kept.Len())
	}
}

func TestWhatHasNoPlan(t *testing.T) {
	t.Parallel()
	plans := New(schema, nil)
	for _, text := range []string{`{ ... @defer { a } }`, `query($a: Boolean = true) { a @skip(if: $a) }`} {
		if plans.Of(operationOf(t, text)) != nil { // variables are absent
			t.Errorf("%s has a plan", text)
		}
	}
}
