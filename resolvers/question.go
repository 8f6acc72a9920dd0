package resolvers

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// question is what a subscription asks of each event: two that ask the same differ at most in
// where they begin.
type question struct{ document, operation, variables string }

// questionOf returns what an operation asks, the arguments of its own field left out; nil where
// that can't be found out.
func questionOf(op *graphql.OperationContext) any {
	u := usedVariables{values: op.Variables, used: map[string]any{}}
	u.visit(op.Operation.SelectionSet, false)
	variables, err := json.Marshal(u.used)
	if err != nil {
		return nil
	}
	return question{op.RawQuery, op.Operation.Name, string(variables)}
}

// usedVariables are the variables of an operation that a selection names.
type usedVariables struct{ values, used map[string]any }

// visit notes the variables of a selection. Those of the arguments of its fields count below the
// operation's own field.
func (u usedVariables) visit(set ast.SelectionSet, below bool) {
	for _, selected := range set {
		switch s := selected.(type) {
		case *ast.Field:
			u.directives(s.Directives)
			if below {
				u.arguments(s.Arguments)
			}
			u.visit(s.SelectionSet, true)
		case *ast.InlineFragment:
			u.directives(s.Directives)
			u.visit(s.SelectionSet, below)
		case *ast.FragmentSpread:
			u.directives(s.Directives)
			u.visit(s.Definition.SelectionSet, below)
		}
	}
}

func (u usedVariables) directives(all ast.DirectiveList) {
	for _, d := range all {
		u.arguments(d.Arguments)
	}
}

func (u usedVariables) arguments(all ast.ArgumentList) {
	for _, a := range all {
		u.value(a.Value)
	}
}

func (u usedVariables) value(v *ast.Value) {
	if v.Kind == ast.Variable {
		u.used[v.Raw] = u.values[v.Raw]
	}
	for _, child := range v.Children {
		u.value(child.Value)
	}
}
