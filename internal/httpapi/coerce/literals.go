package coerce

import (
	"encoding/json"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Rule returns the rule of validation that each value in a document is one of the type that
// stands there ("Values of Correct Type"). It is for gqlparser's of the same name, which
// does not look at custom scalars, nor at the range of an Int. Suggesting: an error suggests
// names of the schema.
func (t *Types) Rule(suggesting bool) core.Rule {
	return core.Rule{
		Name: rules.ValuesOfCorrectTypeRule.Name,
		RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
			checkedBefore := map[*ast.Value]bool{} // a fragment is visited wherever it is spread
			observers.OnValue(func(_ *core.Walker, v *ast.Value) {
				if v.Definition == nil || v.ExpectedType == nil || checkedBefore[v] {
					return
				}
				checkedBefore[v] = true
				checked{t, v, suggesting, addError}.check()
			})
		},
	}
}

// checked is a value of a document.
type checked struct {
	*Types
	*ast.Value
	suggesting bool
	addError   core.AddErrFunc
}

func (c checked) check() {
	switch c.Kind {
	case ast.Variable: // other rules say where it may stand
	case ast.NullValue:
		if c.ExpectedType.NonNull {
			c.unexpected()
		}
	case ast.ListValue:
		if c.ExpectedType.Elem == nil {
			c.checkLeaf()
		}
	case ast.ObjectValue:
		if c.Definition.Kind == ast.InputObject {
			c.object()
		} else {
			c.checkLeaf()
		}
	default:
		c.checkLeaf()
	}
}

func (c checked) wrong(message string, more ...core.ErrorOption) {
	c.addError(append([]core.ErrorOption{core.Message("%s", message), core.At(c.Position)}, more...)...)
}

// unexpected reports a value of another kind than the type's.
func (c checked) unexpected() {
	c.wrong(`Expected value of type "` + c.ExpectedType.String() + `", found ` + shown(literal(c.String())) + ".")
}

// literal is what a document has where it has no string, integer or boolean. No scalar
// takes it.
type literal string

// checkLeaf checks what stands for a scalar or an enum.
func (c checked) checkLeaf() {
	wrong := ""
	switch c.Definition.Kind {
	case ast.Enum:
		c.enum()
		return
	case ast.InputObject:
		c.unexpected()
		return
	default:
		_, wrong = c.scalar(c.Definition.Name, c.given())
	}
	if wrong != "" {
		c.wrong(wrong)
	}
}

// given returns a value for a scalar. A number that is written as a fraction is none for
// those of integers, whatever it is worth, as the specification has it.
func (c checked) given() any {
	switch c.Kind {
	case ast.StringValue, ast.BlockValue:
		return c.Raw
	case ast.IntValue:
		return json.Number(c.Raw)
	case ast.FloatValue:
		if c.Definition.Name == "Float" {
			return json.Number(c.Raw)
		}
	case ast.BooleanValue:
		return c.Raw == "true"
	}
	return literal(c.String())
}

func (c checked) enum() {
	values := c.Definition.EnumValues
	if c.Kind == ast.EnumValue && values.ForName(c.Raw) != nil {
		return
	}
	var names []string
	for _, value := range values {
		names = append(names, value.Name)
	}
	says := `Enum "` + c.Definition.Name + `" cannot represent non-enum value: ` + shown(literal(c.String())) + "."
	if c.Kind == ast.EnumValue {
		says = `Value "` + c.Raw + `" does not exist in "` + c.Definition.Name + `" enum.`
	}
	c.wrong(says, c.suggestion("Did you mean the enum value", c.Raw, names)...)
}

func (c checked) object() {
	for _, field := range c.Definition.Fields {
		if field.Type.NonNull && field.DefaultValue == nil && c.Children.ForName(field.Name) == nil {
			c.wrong(missingField(c.Definition, field))
		}
	}
	if takesOne(c.Definition) {
		c.one()
	}
	for _, child := range c.Children {
		if c.Definition.Fields.ForName(child.Name) != nil {
			continue
		}
		var names []string
		for _, field := range c.Definition.Fields {
			names = append(names, field.Name)
		}
		options := c.suggestion("Did you mean", child.Name, names)
		c.addError(append([]core.ErrorOption{
			core.Message(`Field "%s" is not defined by type "%s".`, child.Name, c.Definition.Name), core.At(child.Position),
		}, options...)...)
	}
}

// one checks an object of which exactly one field is to be given.
func (c checked) one() {
	switch {
	case len(c.Children) != 1:
		c.wrong(`OneOf Input Object "` + c.Definition.Name + `" must specify exactly one key.`)
	case c.Children[0].Value.Kind == ast.NullValue:
		c.wrong(`Field "` + c.Definition.Name + "." + c.Children[0].Name + `" must be non-null.`)
	}
}

func (c checked) suggestion(prefix, typed string, names []string) []core.ErrorOption {
	if !c.suggesting {
		return nil
	}
	return []core.ErrorOption{core.SuggestListQuoted(prefix, typed, names)}
}
