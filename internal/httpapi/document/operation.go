package document

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"

	"broadsheet/internal/client"
	"broadsheet/internal/refusal"
)

// Operation returns what a request asks an executor to do, which has the documents for its
// cache, and of which document; or why that can't be. All that is wrong with the operation's
// name and with its variables is found here, before anything is executed.
func (d *Documents) Operation(ctx context.Context, by *client.Budget, exec graphql.GraphExecutor, params *graphql.RawParams) (*graphql.OperationContext, *Document, gqlerror.List) {
	ctx, doc, errs := d.Prepare(ctx, by, params.Query)
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

// settle takes from a valid document what gqlparser would read otherwise than the specification has it when the document is
// executed. An integer that is an ID is its digits, of which there may be more than an integer of Go has. And a variable that has no
// value is absent: gqlparser would look for a default at its definition, of which a fragment that several operations spread has that
// of the last, and the variables have theirs already.
func (d *Documents) settle(doc *ast.QueryDocument) {
	values := &core.Events{}
	values.OnValue(func(_ *core.Walker, v *ast.Value) {
		v.VariableDefinition = nil
		if v.Kind == ast.IntValue && v.Definition != nil && v.Definition.Name == "ID" {
			v.Kind = ast.StringValue
		}
	})
	core.Walk(d.schema, doc, values)
}
