package document

import (
	"fmt"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/refusal"
)

// size is what limits bound of a document, and what its validation takes.
type size struct {
	selections  int // with directives and values, in all operations and fragments: validation walks each with all that it spreads
	depth       int // of the deepest of them, in fields
	compared    int // how often validation compares two fields
	introspects bool
}

// tally is what is counted of selections with all that they spread. Validation walks all of an operation, or fragment.
type tally struct{ selections, aliases, directives int }

func (t tally) and(o tally) tally {
	return tally{sum(t.selections, o.selections), sum(t.aliases, o.aliases), sum(t.directives, o.directives)}
}

// units is the work that the validation takes.
func (s size) units() int { return s.selections/selectionUnit + s.compared/comparisonUnit }

// beyond is more than any limit. Sums end there, for fragments of fragments may stand for
// more fields than an int can count.
const beyond = 1 << 30

func sum(a, b int) int { return min(a+b, beyond) }

// measure returns the size of a document that may be invalid, or which limit it is beyond. An unknown fragment
// counts as empty: validation refuses it. At first each fragment is counted once, so the time is that of reading the
// document, whatever the fragments spread; only what is within the limit of selections is walked as validation does.
func measure(doc *ast.QueryDocument, limits *limit.Values) (size, *gqlerror.Error) {
	m := &measuring{fragments: map[string]*ast.FragmentDefinition{}, known: map[string]*tally{}}
	for _, f := range doc.Fragments {
		m.fragments[f.Name] = f
	}
	var largest tally // of aliases and directives alone
	for _, op := range doc.Operations {
		t := m.count(op.SelectionSet).and(directives(op.Directives))
		for _, v := range op.VariableDefinitions {
			t = t.and(directives(v.Directives))
		}
		m.selections = sum(m.selections, t.selections)
		largest.aliases, largest.directives = max(largest.aliases, t.aliases), max(largest.directives, t.directives)
	}
	for _, f := range doc.Fragments { // one that no operation spreads is validated all the same
		t := m.fragment(f.Name, f.Position)
		m.selections = sum(m.selections, t.selections)
		largest.aliases, largest.directives = max(largest.aliases, t.aliases), max(largest.directives, t.directives)
	}
	switch {
	case m.cycle != nil:
		return m.size, m.cycle
	case m.selections > limits.Int(limit.Selections):
		return m.size, exceeds(limits, limit.Selections)
	case largest.aliases > limits.Int(limit.Aliases):
		return m.size, exceeds(limits, limit.Aliases)
	case largest.directives > limits.Int(limit.Directives):
		return m.size, exceeds(limits, limit.Directives)
	}
	for _, op := range doc.Operations {
		m.walk(1, op.SelectionSet)
	}
	for _, f := range doc.Fragments {
		m.walk(1, f.SelectionSet)
	}
	switch {
	case m.depth > limits.Int(limit.Depth):
		return m.size, exceeds(limits, limit.Depth)
	case m.compared > maxComparisons:
		return m.size, refusal.Beyond(refusal.CodeTooComplex, "repetition", "the document asks for the same fields too often at the same place: merge what repeats").GraphQL()
	}
	return m.size, nil
}

type measuring struct {
	size
	fragments map[string]*ast.FragmentDefinition
	known     map[string]*tally // nil: they are being counted
	cycle     *gqlerror.Error   // where a fragment spreads itself
}

func (m *measuring) count(set ast.SelectionSet) (t tally) {
	for _, selection := range set {
		t.selections = sum(t.selections, 1)
		switch s := selection.(type) {
		case *ast.Field:
			if s.Alias != s.Name {
				t.aliases = sum(t.aliases, 1)
			}
			t = t.and(tally{selections: values(s.Arguments)}).and(directives(s.Directives)).and(m.count(s.SelectionSet))
		case *ast.InlineFragment:
			t = t.and(directives(s.Directives)).and(m.count(s.SelectionSet))
		case *ast.FragmentSpread:
			t = t.and(directives(s.Directives)).and(m.fragment(s.Name, s.Position))
		}
	}
	return t
}

// fragment counts the selections of a fragment that is spread somewhere. That one spreads itself is what
// validation says, too; what such a document stands for has no end.
func (m *measuring) fragment(name string, at *ast.Position) tally {
	t, known := m.known[name]
	f := m.fragments[name]
	switch {
	case known && t == nil:
		if m.cycle == nil {
			m.cycle = gqlerror.ErrorPosf(at, `Cannot spread fragment "%s" within itself.`, name)
			m.cycle.Rule = rules.NoFragmentCyclesRule.Name
			errcode.Set(m.cycle, errcode.ValidationFailed)
		}
		return tally{}
	case f == nil:
		return tally{}
	case known:
		return *t
	}
	m.known[name] = nil
	whole := m.count(f.SelectionSet).and(directives(f.Directives))
	m.known[name] = &whole
	return whole
}

func directives(all ast.DirectiveList) (t tally) {
	for _, d := range all {
		t = t.and(tally{selections: 1 + values(d.Arguments), directives: 1})
	}
	return t
}

// values returns how many values arguments have in them.
func values(arguments ast.ArgumentList) (n int) {
	for _, a := range arguments {
		n += within(a.Value)
	}
	return n
}

// within returns how many values a value has in it, itself included.
func within(v *ast.Value) int {
	if v == nil {
		return 0
	}
	n := 1
	for _, child := range v.Children {
		n += within(child.Value)
	}
	return n
}

// namesakes are the fields of one response name at one place.
type namesakes struct {
	fields, weight int
	below          []ast.SelectionSet
}

// walk finds out what selections at one place of the response have below them, and how often validation compares two
// fields there, as the rule that overlapping fields can be merged has it: each with every other of the same response
// name, by their names and arguments; and each fragment with every other that is spread there, whatever they hold.
func (m *measuring) walk(depth int, sets ...ast.SelectionSet) {
	m.depth = max(m.depth, depth)
	names := map[string]*namesakes{}
	for _, set := range sets {
		m.collect(set, names)
	}
	for _, same := range names {
		m.compared = sum(m.compared, same.fields*same.weight/2)
		if same.below != nil {
			m.walk(depth+1, same.below...)
		}
	}
}

func (m *measuring) collect(set ast.SelectionSet, names map[string]*namesakes) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			same := one(names, s.Alias)
			same.weight += values(s.Arguments)
			if s.SelectionSet != nil {
				same.below = append(same.below, s.SelectionSet)
			}
			m.introspects = m.introspects || s.Name == "__schema" || s.Name == "__type"
		case *ast.InlineFragment:
			m.collect(s.SelectionSet, names)
		case *ast.FragmentSpread:
			one(names, "...") // which is no name of a field
			if f := m.fragments[s.Name]; f != nil {
				m.collect(f.SelectionSet, names)
			}
		}
	}
}

// one counts one more of a name.
func one(names map[string]*namesakes, name string) *namesakes {
	same := names[name]
	if same == nil {
		same = &namesakes{}
		names[name] = same
	}
	same.fields++
	same.weight++
	return same
}

func exceeds(limits *limit.Values, name limit.Name) *gqlerror.Error {
	return refusal.Beyond(refusal.CodeTooComplex, name.String(), fmt.Sprintf("more than %d %s: ask for less at once", limits.Int(name), limit.Table[name].Bounds)).GraphQL()
}
