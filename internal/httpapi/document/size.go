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

// size is what limits bound of a document: its selections in all operations and fragments,
// for validation walks each of them with all that it spreads, and the others of the largest
// operation.
type size struct {
	depth, selections, aliases, directives int
	introspects                            bool
}

// beyond is more than any limit. Sums end there, for fragments of fragments may stand for
// more fields than an int can count.
const beyond = 1 << 30

func sum(a, b int) int { return min(a+b, beyond) }

// and returns the size of two selections side by side.
func (s size) and(t size) size {
	return size{
		depth:       max(s.depth, t.depth),
		selections:  sum(s.selections, t.selections),
		aliases:     sum(s.aliases, t.aliases),
		directives:  sum(s.directives, t.directives),
		introspects: s.introspects || t.introspects,
	}
}

// beside returns the size of two operations or fragments of one document.
func (s size) beside(t size) size {
	both := s.and(t)
	both.aliases, both.directives = max(s.aliases, t.aliases), max(s.directives, t.directives)
	return both
}

// with adds what stands at a selection beside its own selections.
func (s *size) with(directives ast.DirectiveList, arguments ast.ArgumentList) {
	s.directives = sum(s.directives, len(directives))
	n := valuesOf(arguments)
	for _, d := range directives {
		n += valuesOf(d.Arguments)
	}
	s.selections = sum(s.selections, 1+n)
}

// measure returns the size of a document that may be invalid. Each fragment is measured
// once, so the time is that of reading the document, whatever the fragments spread. An
// unknown fragment counts as empty: validation refuses it.
func measure(doc *ast.QueryDocument) (size, *gqlerror.Error) {
	m := &measuring{fragments: map[string]*ast.FragmentDefinition{}, known: map[string]size{}, within: map[string]bool{}}
	for _, f := range doc.Fragments {
		m.fragments[f.Name] = f
	}
	var all size
	for _, op := range doc.Operations {
		s := m.selections(op.SelectionSet)
		s.directives = sum(s.directives, len(op.Directives))
		for _, v := range op.VariableDefinitions {
			s.directives = sum(s.directives, len(v.Directives))
		}
		all = all.beside(s)
	}
	for _, f := range doc.Fragments { // one that no operation spreads is validated all the same
		all = all.beside(m.fragment(f.Name))
	}
	return all, m.cycle
}

type measuring struct {
	fragments map[string]*ast.FragmentDefinition
	known     map[string]size
	within    map[string]bool // those that are being measured
	cycle     *gqlerror.Error // where one of those spreads itself
}

func (m *measuring) selections(set ast.SelectionSet) size {
	var all size
	for _, selection := range set {
		var s size
		switch selection := selection.(type) {
		case *ast.Field:
			s = m.selections(selection.SelectionSet)
			s.depth++
			if selection.Alias != selection.Name {
				s.aliases = sum(s.aliases, 1)
			}
			s.with(selection.Directives, selection.Arguments)
			s.introspects = s.introspects || selection.Name == "__schema" || selection.Name == "__type"
		case *ast.InlineFragment:
			s = m.selections(selection.SelectionSet)
			s.with(selection.Directives, nil)
		case *ast.FragmentSpread:
			if s = m.fragment(selection.Name); m.within[selection.Name] && m.cycle == nil {
				m.cycle = cyclic(selection)
			}
			s.with(selection.Directives, nil)
		}
		all = all.and(s)
	}
	return all
}

func (m *measuring) fragment(name string) size {
	s, known := m.known[name]
	f := m.fragments[name]
	if known || f == nil || m.within[name] {
		return s
	}
	m.within[name] = true
	s = m.selections(f.SelectionSet)
	delete(m.within, name)
	s.directives = sum(s.directives, len(f.Directives))
	m.known[name] = s
	return s
}

// cyclic is what validation says of a fragment that spreads itself. It is said before, for
// what such a document stands for has no end.
func cyclic(at *ast.FragmentSpread) *gqlerror.Error {
	err := gqlerror.ErrorPosf(at.Position, `Cannot spread fragment "%s" within itself.`, at.Name)
	err.Rule = rules.NoFragmentCyclesRule.Name
	errcode.Set(err, errcode.ValidationFailed)
	return err
}

// comparisons returns how often validation compares two fields, as the rule that
// overlapping fields can be merged has it: each with every other of the same response name,
// at the same place of the response, by their names and arguments; and each fragment with
// every other that is spread there, whatever they hold. The document is one
// whose number of selections is within its limit.
func comparisons(doc *ast.QueryDocument) int {
	c := comparing{}
	for _, f := range doc.Fragments {
		c[f.Name] = f.SelectionSet
	}
	n := 0
	for _, op := range doc.Operations {
		n = sum(n, c.at(op.SelectionSet))
	}
	for _, f := range doc.Fragments {
		n = sum(n, c.at(f.SelectionSet))
	}
	return n
}

// comparing are the fragments of a document.
type comparing map[string]ast.SelectionSet

// namesakes are the fields of one response name at one place.
type namesakes struct {
	fields, weight int
	below          []ast.SelectionSet
}

func (c comparing) at(sets ...ast.SelectionSet) int {
	names := map[string]*namesakes{}
	for _, set := range sets {
		c.collect(set, names)
	}
	n := 0
	for _, same := range names {
		n = sum(n, same.fields*same.weight/2)
		if same.below != nil {
			n = sum(n, c.at(same.below...))
		}
	}
	return n
}

func (c comparing) collect(set ast.SelectionSet, names map[string]*namesakes) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			same := count(names, selection.Alias)
			same.weight += valuesOf(selection.Arguments)
			if selection.SelectionSet != nil {
				same.below = append(same.below, selection.SelectionSet)
			}
		case *ast.InlineFragment:
			c.collect(selection.SelectionSet, names)
		case *ast.FragmentSpread:
			count(names, spreads)
			c.collect(c[selection.Name], names)
		}
	}
}

// valuesOf returns how many values arguments have in them.
func valuesOf(arguments ast.ArgumentList) (n int) {
	for _, a := range arguments {
		n += values(a.Value)
	}
	return n
}

// spreads stands for the spreads of fragments at one place, which are compared with each
// other as fields of one name are. It is no name of a field.
const spreads = "..."

func count(names map[string]*namesakes, name string) *namesakes {
	same := names[name]
	if same == nil {
		same = &namesakes{}
		names[name] = same
	}
	same.fields++
	same.weight++
	return same
}

// values returns how many values an argument's value has in it, itself included.
func values(v *ast.Value) int {
	if v == nil {
		return 0
	}
	n := 1
	for _, child := range v.Children {
		n += values(child.Value)
	}
	return n
}

// check returns an error where a size is beyond a limit.
func check(limits *limit.Values, s size) *gqlerror.Error {
	for _, c := range []struct {
		limit limit.Name
		is    int
	}{{limit.Depth, s.depth}, {limit.Selections, s.selections}, {limit.Aliases, s.aliases}, {limit.Directives, s.directives}} {
		if c.is > limits.Int(c.limit) {
			return exceeds(limits, c.limit)
		}
	}
	return nil
}

func exceeds(limits *limit.Values, name limit.Name) *gqlerror.Error {
	return refusal.Beyond(refusal.CodeTooComplex, name.String(), fmt.Sprintf("more than %d %s: ask for less at once", limits.Int(name), limit.Table[name].Bounds)).GraphQL()
}
