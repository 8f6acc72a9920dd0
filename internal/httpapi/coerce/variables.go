package coerce

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/refusal"
)

// maxWrong bounds the errors of a request's variables.
const maxWrong = 50

// Variables returns the values of the variables of an operation, in a valid document: what is given, as their types
// take it, else their defaults. One that is absent and has no default is not among them, which is something else than
// null.
func (t *Types) Variables(op *ast.OperationDefinition, given map[string]any) (map[string]any, gqlerror.List) {
	values := make(map[string]any, len(op.VariableDefinitions))
	var errs gqlerror.List
	nulls := false
	for _, v := range op.VariableDefinitions {
		value, has := given[v.Variable]
		if !has && v.DefaultValue != nil {
			value, has = plain(v.DefaultValue), true
		}
		switch {
		case has && (value != nil || !v.Type.NonNull):
			values[v.Variable] = reading{t, v, &errs}.value(v.Type, value, nil)
			nulls = nulls || value == nil
		case has:
			errs = append(errs, badInput(v.Position, `Variable "$`+v.Variable+`" of non-null type "`+v.Type.String()+`" must not be null.`))
		case v.Type.NonNull:
			errs = append(errs, badInput(v.Position, `Variable "$`+v.Variable+`" of required type "`+v.Type.String()+`" was not provided.`))
		}
	}
	if errs == nil && nulls {
		errs = misplacedNulls(op, values)
	}
	if errs != nil {
		return nil, errs[:min(len(errs), maxWrong)]
	}
	return values, nil
}

func badInput(at *ast.Position, message string) *gqlerror.Error {
	err := refusal.New(refusal.CodeBadUserInput, message).GraphQL()
	if at != nil {
		err.Locations = []gqlerror.Location{{Line: at.Line, Column: at.Column}}
	}
	return err
}

// misplacedNulls returns where variables that are null stand for what can't be, as a valid document may have it where
// there is a default, which is for what is absent. graphql-js says it when it comes to the field, where a mutation may
// have written already. What is skipped does not count.
func misplacedNulls(op *ast.OperationDefinition, values map[string]any) gqlerror.List {
	n := &nulls{values: values, seen: map[*ast.FragmentDefinition]bool{}}
	n.selections(op.SelectionSet)
	return n.errs
}

type nulls struct {
	values map[string]any
	seen   map[*ast.FragmentDefinition]bool
	errs   gqlerror.List
}

func (n *nulls) selections(set ast.SelectionSet) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if n.included(s.Directives) {
				n.arguments(s.Arguments)
				n.selections(s.SelectionSet)
			}
		case *ast.InlineFragment:
			if n.included(s.Directives) {
				n.selections(s.SelectionSet)
			}
		case *ast.FragmentSpread:
			if n.included(s.Directives) && !n.seen[s.Definition] {
				n.seen[s.Definition] = true
				n.selections(s.Definition.SelectionSet)
			}
		}
	}
}

// included reports whether what has these directives is a part of the answer.
func (n *nulls) included(directives ast.DirectiveList) bool {
	included := true
	for _, d := range directives {
		n.arguments(d.Arguments)
		if argument := d.Arguments.ForName("if"); argument != nil {
			included = included && n.condition(argument.Value) != (d.Name == "skip")
		}
	}
	return included
}

func (n *nulls) condition(v *ast.Value) bool {
	if v.Kind != ast.Variable {
		return v.Raw == "true"
	}
	value, _ := n.values[v.Raw].(bool)
	return value
}

func (n *nulls) arguments(arguments ast.ArgumentList) {
	for _, a := range arguments {
		n.value(a.Value)
	}
}

func (n *nulls) value(v *ast.Value) {
	for _, child := range v.Children {
		n.value(child.Value)
	}
	if v.Kind != ast.Variable || v.ExpectedType == nil || !v.ExpectedType.NonNull || len(n.errs) == maxWrong {
		return
	}
	if value, has := n.values[v.Raw]; has && value == nil {
		n.errs = append(n.errs, badInput(v.Position, `Variable "$`+v.Raw+`" must not be null where type "`+v.ExpectedType.String()+`" is expected.`))
	}
}
