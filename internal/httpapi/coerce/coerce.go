// Package coerce reads the values of a request as the types of a schema take them: those of variables before anything
// is executed, and those in a document when it is validated ("Input Coercion" in section 3 of the GraphQL
// specification, CoerceVariableValues in section 6.1.2). It says what is wrong in the words of graphql-js.
//
// What gqlgen brings takes what the specification refuses: a wrong value of a custom scalar, or an Int of more than 32
// bits, is met only when its field is resolved, and then another field may have written already.
package coerce

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Types are the input types of a schema.
type Types struct {
	schema  *ast.Schema
	scalars map[string]func(any) (any, error)
}

// NewTypes returns the input types of a schema. A scalar is read by a function of its name, from a string, a bool or a
// [json.Number]; its error says what the scalar can't represent, and the value follows that. One without a function takes
// every value as it is.
func NewTypes(schema *ast.Schema, scalars map[string]func(any) (any, error)) *Types {
	return &Types{schema, scalars}
}

// path is where in a value another one stands.
type path struct {
	within *path  // nil: it is the value itself
	step   string // the field's name as ".title", an entry's number as "[1]"
}

// String returns the way from the value itself: "input.ids[1]".
func (p *path) String() string {
	if p == nil {
		return ""
	}
	return p.within.String() + p.step
}

func (p *path) field(name string) *path { return &path{p, "." + name} }

func (p *path) entry(i int) *path { return &path{p, "[" + strconv.Itoa(i) + "]"} }

// reading is the value of a variable that is read, with what is wrong in it.
type reading struct {
	*Types
	of   *ast.VariableDefinition
	errs *gqlerror.List
}

func (r reading) wrong(at *path, what string) {
	if len(*r.errs) < maxWrong {
		within := ""
		if at != nil {
			within = ` at "` + r.of.Variable + at.String() + `"`
		}
		*r.errs = append(*r.errs, badInput(r.of.Position, `Variable "$`+r.of.Variable+`" got an invalid value`+within+"; "+what))
	}
}

// value returns a value as a type takes it; where it is wrong, that is reported.
func (r reading) value(t *ast.Type, value any, at *path) any {
	switch {
	case value == nil && t.NonNull:
		r.wrong(at, `Expected non-nullable type "`+t.String()+`" not to be null.`)
		return nil
	case value == nil:
		return nil
	case t.Elem != nil:
		return r.list(t.Elem, value, at)
	}
	def := r.schema.Types[t.NamedType]
	var wrong string
	switch def.Kind {
	case ast.InputObject:
		return r.object(def, value, at)
	case ast.Enum:
		value, wrong = enumValue(def, value)
	default:
		value, wrong = r.scalar(def.Name, value)
	}
	if wrong != "" {
		r.wrong(at, wrong)
	}
	return value
}

// list reads a list, or one entry, which stands for a list of itself.
func (r reading) list(of *ast.Type, value any, at *path) any {
	entries, isList := value.([]any)
	if !isList {
		return []any{r.value(of, value, at)}
	}
	list := make([]any, len(entries))
	for i, entry := range entries {
		list[i] = r.value(of, entry, at.entry(i))
	}
	return list
}

func (r reading) object(def *ast.Definition, value any, at *path) any {
	given, isObject := value.(map[string]any)
	if !isObject {
		r.wrong(at, `Expected type "`+def.Name+`" to be an object: `+shown(value)+".")
		return nil
	}
	object := make(map[string]any, len(given))
	for _, field := range def.Fields {
		value, has := given[field.Name]
		switch {
		case has:
			object[field.Name] = r.value(field.Type, value, at.field(field.Name))
		case field.DefaultValue != nil:
			object[field.Name] = r.value(field.Type, plain(field.DefaultValue), at.field(field.Name))
		case field.Type.NonNull:
			r.wrong(at, `Field "`+def.Name+"."+field.Name+`" of required type "`+field.Type.String()+`" was not provided.`)
		}
	}
	r.unknownFields(def, given, at)
	return object
}

// unknownFields reports the fields of an object that its type does not have, and too many of one that takes exactly
// one.
func (r reading) unknownFields(def *ast.Definition, given map[string]any, at *path) {
	var unknown []string
	for name := range given {
		if def.Fields.ForName(name) == nil {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		r.wrong(at, `Field "`+name+`" is not defined by type "`+def.Name+`".`)
	}
	if def.Directives.ForName("oneOf") == nil {
		return
	}
	if len(given) != 1 {
		r.wrong(at, `Exactly one key must be specified for OneOf type "`+def.Name+`".`)
	}
	for name, value := range given {
		if value == nil {
			r.wrong(at.field(name), `Field "`+name+`" must be non-null.`)
		}
	}
}

// scalar returns a value as a scalar takes it, or what is wrong with it.
func (t *Types) scalar(name string, value any) (coerced any, wrong string) {
	read, known := t.scalars[name]
	if !known {
		return value, ""
	}
	coerced, err := read(value)
	if err != nil {
		return nil, err.Error() + ": " + shown(value)
	}
	return coerced, ""
}

// enumValue returns a value of an enum, which is its name, or what is wrong with it.
func enumValue(def *ast.Definition, value any) (coerced any, wrong string) {
	name, isString := value.(string)
	switch {
	case !isString:
		return nil, `Enum "` + def.Name + `" cannot represent non-string value: ` + shown(value) + "."
	case def.EnumValues.ForName(name) == nil:
		return nil, "Value " + shown(value) + ` does not exist in "` + def.Name + `" enum.`
	default:
		return name, ""
	}
}

// plain returns a value that stands in a document or in a schema, without variables, as JSON would have it.
func plain(v *ast.Value) any {
	switch v.Kind {
	case ast.NullValue:
		return nil
	case ast.IntValue, ast.FloatValue:
		return json.Number(v.Raw)
	case ast.BooleanValue:
		return v.Raw == "true"
	case ast.ListValue:
		list := make([]any, len(v.Children))
		for i, child := range v.Children {
			list[i] = plain(child.Value)
		}
		return list
	case ast.ObjectValue:
		object := make(map[string]any, len(v.Children))
		for _, child := range v.Children {
			object[child.Name] = plain(child.Value)
		}
		return object
	default: // strings and names
		return v.Raw
	}
}

// maxShown bounds what a message repeats of a value, in bytes.
const maxShown = 60

// shown returns a value for a message, as far as that helps to find it.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return cut(strconv.Quote(v[:min(len(v), maxShown)]), len(v) > maxShown)
	case json.Number:
		return cut(string(v[:min(len(v), maxShown)]), len(v) > maxShown)
	case literal:
		return cut(strings.ToValidUTF8(string(v[:min(len(v), maxShown)]), ""), len(v) > maxShown)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

func cut(text string, short bool) string {
	if short {
		return text + "…"
	}
	return text
}
