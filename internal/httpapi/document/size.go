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

// units is the work that the validation takes.
func (s size) units() int { return s.selections/selectionUnit + s.compared/comparisonUnit }

// measure returns the size of a document that may be invalid, or which limit it is beyond. Each operation and each
// fragment is walked with all that it spreads, as validation does, up to the limit of selections.
func measure(doc *ast.QueryDocument, limits *limit.Values) (size, *gqlerror.Error) {
	m := &measuring{limits: limits, fragments: map[string]*ast.FragmentDefinition{}, spread: map[string]bool{}}
	for _, f := range doc.Fragments {
		m.fragments[f.Name] = f
	}
	for _, op := range doc.Operations {
		m.whole(func(response *branch) {
			m.directed(op.Directives)
			for _, v := range op.VariableDefinitions {
				m.directed(v.Directives)
			}
			m.walk(op.SelectionSet, response, 1)
		})
	}
	for _, f := range doc.Fragments { // one that no operation spreads is validated all the same
		m.whole(func(response *branch) { m.fragment(f.Name, f.Position, response, 1) })
	}
	return m.size, m.refused()
}

type measuring struct {
	size
	aliases, directives         int // of one operation, or fragment, with all that it spreads
	mostAliases, mostDirectives int // of any
	limits                      *limit.Values
	fragments                   map[string]*ast.FragmentDefinition
	spread                      map[string]bool // of the fragments: those that are being walked
	circle                      *gqlerror.Error // where a fragment spreads itself
}

// whole measures one operation, or fragment, by a walk.
func (m *measuring) whole(walk func(response *branch)) {
	var response branch
	m.aliases, m.directives = 0, 0
	walk(&response)
	m.mostAliases, m.mostDirectives = max(m.mostAliases, m.aliases), max(m.mostDirectives, m.directives)
	m.compared += response.compared()
}

// refused says which limit the document is beyond, nil: none. That a fragment spreads itself is what validation says, too.
func (m *measuring) refused() *gqlerror.Error {
	if m.circle != nil {
		return m.circle
	}
	for _, of := range []struct {
		name limit.Name
		n    int
	}{{limit.Selections, m.selections}, {limit.Aliases, m.mostAliases}, {limit.Directives, m.mostDirectives}, {limit.Depth, m.depth}} {
		if of.n > m.limits.Int(of.name) {
			return exceeds(m.limits, of.name)
		}
	}
	if m.compared > maxComparisons {
		return refusal.New(refusal.CodeTooComplex, "the document asks for the same fields too often at the same place: merge what repeats").Beyond("repetition").GraphQL()
	}
	return nil
}

// walk counts selections at one place of the response, and what is below them.
func (m *measuring) walk(set ast.SelectionSet, at *branch, depth int) {
	if len(set) > 0 {
		m.depth = max(m.depth, depth)
	}
	for _, selection := range set {
		if m.selections++; m.circle != nil || m.selections > m.limits.Int(limit.Selections) {
			return
		}
		switch s := selection.(type) {
		case *ast.Field:
			if s.Alias != s.Name {
				m.aliases++
			}
			m.directed(s.Directives)
			m.introspects = m.introspects || s.Name == "__schema" || s.Name == "__type"
			given := values(s.Arguments)
			m.selections += given
			m.walk(s.SelectionSet, at.below(s.Alias, given), depth+1)
		case *ast.InlineFragment:
			m.directed(s.Directives)
			m.walk(s.SelectionSet, at, depth)
		case *ast.FragmentSpread:
			m.directed(s.Directives)
			at.below("...", 0) // which is no name of a field
			m.fragment(s.Name, s.Position, at, depth)
		}
	}
}

// fragment walks a fragment that is spread somewhere. An unknown one counts as empty: validation refuses it.
func (m *measuring) fragment(name string, from *ast.Position, at *branch, depth int) {
	f := m.fragments[name]
	switch {
	case f == nil:
	case m.spread[name]:
		m.circle = gqlerror.ErrorPosf(from, `Cannot spread fragment "%s" within itself.`, name)
		m.circle.Rule = rules.NoFragmentCyclesRule.Name
		errcode.Set(m.circle, errcode.ValidationFailed)
	default:
		m.spread[name] = true
		m.directed(f.Directives)
		m.walk(f.SelectionSet, at, depth)
		m.spread[name] = false
	}
}

// directed counts directives.
func (m *measuring) directed(all ast.DirectiveList) {
	m.directives += len(all)
	for _, d := range all {
		m.selections += 1 + values(d.Arguments)
	}
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

// branch is where in the response the fields of one name stand.
type branch struct {
	fields, weight int
	names          map[string]*branch // of the fields that are asked of those
}

// below returns the branch of one more field, which has so many values in its arguments.
func (p *branch) below(name string, values int) *branch {
	same := p.names[name]
	if same == nil {
		if p.names == nil {
			p.names = map[string]*branch{}
		}
		same = &branch{}
		p.names[name] = same
	}
	same.fields++
	same.weight += 1 + values
	return same
}

// compared returns how often validation compares two fields (OverlappingFieldsCanBeMerged): each with every other of
// the same response name, by their names and arguments; and each fragment with every other that is spread there.
func (p *branch) compared() (n int) {
	for _, same := range p.names {
		n += same.fields*same.weight/2 + same.compared()
	}
	return n
}

func exceeds(limits *limit.Values, name limit.Name) *gqlerror.Error {
	return refusal.New(refusal.CodeTooComplex, fmt.Sprintf("more than %d %s: ask for less at once", limits.Int(name), limit.Table[name].Bounds)).Beyond(name.String()).GraphQL()
}
