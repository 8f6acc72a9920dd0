package main

import (
	_ "embed"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	gqlplugin "github.com/99designs/gqlgen/plugin"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:embed planned.gotpl
var template string

// plugin writes one file from gqlgen's data.
type plugin struct{ file string }

var _ gqlplugin.CodeGenerator = plugin{}

func (plugin) Name() string { return "plan" }

func (p plugin) GenerateCode(data *codegen.Data) error {
	return templates.Render(templates.Options{
		PackageName:     data.Config.Exec.Package,
		Filename:        p.file,
		Template:        template,
		GeneratedHeader: true,
		Packages:        data.Config.Packages,
		Data:            binding(data),
	})
}

// bound is what the template is made with.
type bound struct {
	Objects    []*object
	Interfaces []*codegen.Interface
	Stream     *object // what subscriptions follow; nil: there are none
	Commands   *object // what mutations execute; nil: there are none
}

type object struct {
	*codegen.Object
	Fields   []*field
	Commands bool // it is the root of mutations
}

type field struct {
	*codegen.Field
	objects map[string]*codegen.Object
}

// binding returns what operations can reach.
func binding(data *codegen.Data) bound {
	objects := map[string]*codegen.Object{}
	for _, o := range data.Objects {
		objects[o.Name] = o
	}
	var b bound
	reached := map[string]bool{}
	var reach func(name string)
	reach = func(name string) {
		if reached[name] || strings.HasPrefix(name, "__") {
			return
		}
		reached[name] = true
		if i := data.Interfaces[name]; i != nil {
			b.Interfaces = append(b.Interfaces, i)
			for _, implementor := range i.Implementors {
				reach(implementor.Name)
			}
		}
		o := objects[name]
		if o == nil {
			return
		}
		bound := &object{Object: o, Commands: o == data.MutationRoot}
		b.Objects = append(b.Objects, bound)
		if o.Stream {
			b.Stream = bound
		}
		if bound.Commands {
			b.Commands = bound
		}
		for _, f := range o.Fields {
			bound.Fields = append(bound.Fields, &field{f, objects})
			reach(f.TypeReference.Definition.Name)
		}
	}
	for _, root := range []*codegen.Object{data.QueryRoot, data.MutationRoot, data.SubscriptionRoot} {
		if root != nil {
			reach(root.Name)
		}
	}
	slices.SortFunc(b.Objects, func(x, y *object) int { return strings.Compare(x.Name, y.Name) })
	slices.SortFunc(b.Interfaces, func(x, y *codegen.Interface) int { return strings.Compare(x.Name, y.Name) })
	return b
}

// Planned reports whether the field's values are of a kind that is written here.
func (f *field) Planned() bool {
	if f.IsReserved() || f.HasDirectives() || f.IsBatch() || f.HasHaser || f.VOkFunc || f.IsMap() {
		return false
	}
	if f.IsMethod() && !f.IsResolver && (!f.NoErr || f.MethodHasContext || len(f.Args) > 0) {
		return false
	}
	return f.Value() != ""
}

// Value returns the statements that write v, the field's value, or the struct's field where
// it stands; empty where there are none.
func (f *field) Value() string {
	ref := f.TypeReference
	switch {
	case ref.IsSlice():
		element := f.writer(ref.Elem())
		if element == "" || ref.Elem().IsPtr() {
			return ""
		}
		return orNull(ref) + fmt.Sprintf("return plan.List(ec, ctx, w, f, v, (*executionContext).%s)", element)
	case f.writer(ref) == "":
		return f.scalar(ref)
	case f.Addressed():
		return fmt.Sprintf("return ec.%s(ctx, w, f, &obj.%s)", f.writer(ref), f.GoFieldName)
	case !ref.IsPtr() && !f.IsInterface():
		return fmt.Sprintf("return ec.%s(ctx, w, f, plan.Keep(w, f, v))", f.writer(ref))
	case ref.GQL.NonNull: // gqlgen has an error for a nil
		return ""
	case f.IsInterface():
		return fmt.Sprintf("return ec.%s(ctx, w, f, &v)", f.writer(ref))
	default:
		return orNull(ref) + fmt.Sprintf("return ec.%s(ctx, w, f, v)", f.writer(ref))
	}
}

// orNull returns the statement that writes null for a nil, empty where that is no null.
func orNull(ref *config.TypeReference) string {
	if ref.GQL.NonNull || !ref.IsPtr() && !ref.IsSlice() {
		return ""
	}
	return "if v == nil { return w.Null() }\n"
}

// IsInterface reports whether the field's values may be of several types.
func (f *field) IsInterface() bool { return f.TypeReference.Definition.Kind == ast.Interface }

// writer returns the method that writes a value of an object's or interface's type; empty
// where the values are others.
func (f *field) writer(ref *config.TypeReference) string {
	if !f.Composite() || ref.IsSlice() || ref.IsMap() {
		return ""
	}
	return "planned" + ref.Definition.Name
}

// scalar returns a statement that writes v, with the function AppendX that stands beside
// MarshalX, or the generic Append that takes what MarshalX does, where there is one.
func (f *field) scalar(ref *config.TypeReference) string {
	if f.Composite() || ref.Marshaler == nil || ref.IsContext || ref.CastType != nil || ref.HasEnumValues() || ref.IsPtr() && ref.GQL.NonNull {
		return ""
	}
	if _, isPointer := ref.Marshaler.Signature().Params().At(0).Type().(*types.Pointer); isPointer {
		return ""
	}
	value := "v"
	if ref.IsPtr() {
		value = "*v"
	}
	pkg, name := ref.Marshaler.Pkg(), "Append"+strings.TrimPrefix(ref.Marshaler.Name(), "Marshal")
	imported := templates.CurrentImports.Lookup(pkg.Path())
	switch {
	case pkg.Path() == "github.com/99designs/gqlgen/graphql" && name == "AppendBoolean":
		imported, name = templates.CurrentImports.Lookup("strconv"), "AppendBool"
	case pkg.Scope().Lookup(name) != nil:
	case isAppended(pkg, ref.Marshaler.Signature().Params().At(0).Type()):
		name = "Append"
	default:
		return orNull(ref) + fmt.Sprintf("return w.Marshal(%s.%s(%s))", imported, ref.Marshaler.Name(), value)
	}
	return orNull(ref) + fmt.Sprintf("w.Bytes = %s.%s(w.Bytes, %s)\nreturn true", imported, name, value)
}

// isAppended reports whether a package has a generic function Append that takes values of a type.
func isAppended(pkg *types.Package, value types.Type) bool {
	generic, ok := pkg.Scope().Lookup("Append").(*types.Func)
	if !ok || generic.Signature().TypeParams().Len() != 1 {
		return false
	}
	constraint, ok := generic.Signature().TypeParams().At(0).Constraint().Underlying().(*types.Interface)
	return ok && types.Satisfies(value, constraint)
}

// HasCall reports whether gqlgen's or a resolver's function is called for the field.
func (f *field) HasCall() bool { return f.IsResolver || !f.Planned() }

// Composite reports whether the field's values have fields.
func (f *field) Composite() bool {
	kind := f.TypeReference.Definition.Kind
	return kind == ast.Object || kind == ast.Interface
}

// Addressed reports whether Value writes the struct's field where it stands.
func (f *field) Addressed() bool {
	return !f.IsResolver && f.IsVariable() && f.Composite() && !f.IsInterface() && !f.TypeReference.IsSlice() && !f.TypeReference.IsPtr()
}
