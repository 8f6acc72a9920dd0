package document

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/refusal"
)

// Operation returns what a request asks an executor to do, which has the documents for its
// cache, and of which document; or why that can't be. All that is wrong with the operation's
// name and with its variables is found here, before anything is executed.
func (d *Documents) Operation(ctx context.Context, exec graphql.GraphExecutor, params *graphql.RawParams) (*graphql.OperationContext, *Document, gqlerror.List) {
	ctx, doc, errs := d.Prepare(ctx, params.Query)
	if errs != nil {
		return &graphql.OperationContext{RawQuery: params.Query}, nil, errs
	}
	named, err := doc.named(params.OperationName)
	if err != nil {
		return &graphql.OperationContext{RawQuery: params.Query}, doc, gqlerror.List{err}
	}
	variables, errs := d.inputs.Variables(named, params.Variables)
	if errs != nil {
		return &graphql.OperationContext{RawQuery: params.Query, Operation: named}, doc, errs
	}
	coerced := *params
	coerced.Variables = variables
	op, errs := exec.CreateOperationContext(ctx, &coerced)
	return op, doc, errs
}

// named returns the operation that a request names. Without a name it is the only one.
func (d *Document) named(name string) (*ast.OperationDefinition, *gqlerror.Error) {
	op := d.Operations.ForName(name)
	switch {
	case op != nil:
		return op, nil
	case name == "":
		return nil, unknownOperation("Must provide operation name if query contains multiple operations.")
	default:
		return nil, unknownOperation(`Unknown operation named "` + name + `".`)
	}
}

func unknownOperation(message string) *gqlerror.Error {
	return refusal.New(refusal.CodeUnknownOperation, message).GraphQL()
}

// settle takes from a valid document what gqlparser would read otherwise than the
// specification has it when the document is executed.
func settle(doc *ast.QueryDocument) {
	for _, op := range doc.Operations {
		for _, v := range op.VariableDefinitions {
			settleValue(v.DefaultValue)
			settleDirectives(v.Directives)
		}
		settleDirectives(op.Directives)
		settleSelections(op.SelectionSet)
	}
	for _, f := range doc.Fragments {
		settleDirectives(f.Directives)
		settleSelections(f.SelectionSet)
	}
}

func settleSelections(set ast.SelectionSet) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			settleArguments(s.Arguments)
			settleDirectives(s.Directives)
			settleSelections(s.SelectionSet)
		case *ast.InlineFragment:
			settleDirectives(s.Directives)
			settleSelections(s.SelectionSet)
		case *ast.FragmentSpread:
			settleDirectives(s.Directives)
		}
	}
}

func settleDirectives(directives ast.DirectiveList) {
	for _, d := range directives {
		settleArguments(d.Arguments)
	}
}

func settleArguments(arguments ast.ArgumentList) {
	for _, a := range arguments {
		settleValue(a.Value)
	}
}

// settleValue settles a value and those in it. An integer that is an ID is its digits, of
// which there may be more than an integer of Go has. And a variable that has no value is
// absent: gqlparser would look for a default at its definition, of which a fragment that
// several operations spread has that of the last, and the variables have theirs already.
func settleValue(v *ast.Value) {
	if v == nil {
		return
	}
	v.VariableDefinition = nil
	if v.Kind == ast.IntValue && v.Definition != nil && v.Definition.Name == "ID" {
		v.Kind = ast.StringValue
	}
	for _, child := range v.Children {
		settleValue(child.Value)
	}
}
