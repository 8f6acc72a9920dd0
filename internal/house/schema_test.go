package house

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// schemaTypes returns the types that schema.graphqls declares.
func schemaTypes(t *testing.T) []*ast.Definition {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: text(t, "schema.graphqls")})
	if err != nil {
		t.Fatal(err)
	}
	var types []*ast.Definition
	for _, definition := range schema.Types {
		if !definition.BuiltIn {
			types = append(types, definition)
		}
	}
	return types
}

// fieldsOf are a type's own; the parser gives Query those of introspection, too.
func fieldsOf(of *ast.Definition) []*ast.FieldDefinition {
	return slices.DeleteFunc(slices.Clone(of.Fields), func(f *ast.FieldDefinition) bool { return strings.HasPrefix(f.Name, "__") })
}

// What a client's tools show of the API is its descriptions.
func TestTheSchemaIsDescribed(t *testing.T) {
	want := func(coordinate, description string) {
		if strings.TrimSpace(description) == "" {
			t.Errorf("schema.graphqls does not describe %s", coordinate)
		}
	}
	for _, of := range schemaTypes(t) {
		want(of.Name, of.Description)
		for _, f := range fieldsOf(of) {
			want(of.Name+"."+f.Name, f.Description)
			for _, a := range f.Arguments {
				want(of.Name+"."+f.Name+"("+a.Name+":)", a.Description)
			}
		}
		for _, v := range of.EnumValues {
			want(of.Name+"."+v.Name, v.Description)
		}
	}
}

// A field that may be null says when.
func TestNullsAreDescribed(t *testing.T) {
	for _, of := range schemaTypes(t) {
		for _, f := range fieldsOf(of) {
			if of.Kind != ast.InputObject && !f.Type.NonNull && !strings.Contains(strings.ToLower(f.Description), "null") {
				t.Errorf("schema.graphqls: %s.%s may be null: its description says when", of.Name, f.Name)
			}
		}
	}
}
