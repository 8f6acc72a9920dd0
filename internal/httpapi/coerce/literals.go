package coerce

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// Rule returns the rule of validation that each value in a document is of the type that stands there ("Values of
// Correct Type"): gqlparser's, but for scalars, of which that knows neither custom ones nor those of lists, and for
// objects in place of an enum's value, which it takes. A value of a fragment is checked once, wherever that is spread.
func (t *Types) Rule(gqlparser core.Rule) core.Rule {
	return core.Rule{Name: gqlparser.Name, RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		checked := map[*ast.Value]bool{}
		var value *ast.Value // that gqlparser's rule checks; nil: none
		observers.OnValue(func(_ *core.Walker, v *ast.Value) {
			value = nil
			if v.Definition == nil || v.ExpectedType == nil || checked[v] {
				return
			}
			checked[v] = true
			wrong := ""
			switch kind := v.Definition.Kind; {
			case kind == ast.Enum && v.Kind == ast.ObjectValue:
				wrong = `Enum "` + v.Definition.Name + `" cannot represent non-enum value: ` + shown(literal(v.String())) + "."
			case kind == ast.Scalar && v.Kind != ast.NullValue:
				wrong = t.wrongLiteral(v)
			default:
				value = v
			}
			if wrong != "" {
				addError(core.Message("%s", wrong), core.At(v.Position))
			}
		})
		gqlparser.RuleFunc(observers, func(options ...core.ErrorOption) {
			if value != nil {
				addError(append(options, named(value))...)
			}
		})
	}}
}

// named has an error call an enum by its name, where gqlparser has its type.
func named(v *ast.Value) core.ErrorOption {
	return func(err *gqlerror.Error) {
		if v.Definition.Kind == ast.Enum && v.Kind != ast.NullValue {
			err.Message = strings.ReplaceAll(err.Message, `"`+v.ExpectedType.String()+`"`, `"`+v.Definition.Name+`"`)
		}
	}
}

// wrongLiteral returns what is wrong with a value that stands for a scalar.
func (t *Types) wrongLiteral(v *ast.Value) (wrong string) {
	if v.Kind != ast.Variable && (v.Kind != ast.ListValue || v.ExpectedType.Elem == nil) { // other rules say where a variable may stand
		_, wrong = t.scalar(v.Definition.Name, given(v))
	}
	return wrong
}

// literal is what a document has where it has no string, integer or boolean. No scalar
// takes it.
type literal string

// given returns a value for a scalar. A number that is written as a fraction is none for
// those of integers, whatever it is worth, as the specification has it.
func given(v *ast.Value) any {
	switch v.Kind {
	case ast.StringValue, ast.BlockValue, ast.IntValue, ast.BooleanValue:
		return plain(v)
	case ast.FloatValue:
		if v.Definition.Name == "Float" {
			return plain(v)
		}
	}
	return literal(v.String())
}
