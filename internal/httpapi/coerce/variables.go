package coerce

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/refusal"
)

// maxWrong bounds the errors of a request's variables.
const maxWrong = 50

// Variables returns the values of an operation's variables, of a document that is valid:
// what is given, as their types take it, else their defaults. One that is absent and has no
// default is none of them, which is something else than null.
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
