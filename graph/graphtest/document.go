// Package graphtest makes random documents of schema.graphqls for tests.
package graphtest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Names are texts to use where a document takes an id or a cursor.
type Names struct {
	Users, Posts []string
	All          []string // of every kind, right and wrong
}

// Document is a query that is valid but for its values. Fields with arguments have an
// alias of their own, so that what repeats can be merged. Fragments on Node hold some on other
// types than the object has that they are spread on: those are valid, and don't apply.
type Document struct {
	*rand.Rand
	schema    *ast.Schema
	names     Names
	operation string
	fragments []fragment
	variables []variable
	aliases   int
	repeated  map[string][]string // fields that were selected on a type, without their selections
}

type fragment struct{ name, on, text string }

type variable struct {
	name, typeName string
	values         []any
}

// New makes a document of a schema. The same source makes the same document.
func New(random *rand.Rand, schema *ast.Schema, names Names) *Document {
	d := &Document{Rand: random, schema: schema, names: names, repeated: map[string][]string{}}
	for i := range d.IntN(4) {
		on := Pick(random, "Query", "User", "Post", "Comment", "Like", "Node", "Node", "PostConnection", "CommentEdge")
		text := d.selection(d.schema.Types[on], 3)
		d.fragments = append(d.fragments, fragment{fmt.Sprintf("F%d", i), on, text})
	}
	d.operation = d.selection(d.schema.Query, 7)
	return d
}

// Text returns the document, with those fragments and variables that it uses.
func (d *Document) Text() string {
	body := d.operation
	for _, f := range slices.Backward(d.fragments) {
		if strings.Contains(body, "..."+f.name+" ") {
			body += fmt.Sprintf(" fragment %s on %s %s", f.name, f.on, f.text)
		}
	}
	declared := ""
	for _, v := range d.variables {
		if regexp.MustCompile(`\$` + v.name + `\b`).MatchString(body) {
			declared += fmt.Sprintf("$%s: %s ", v.name, v.typeName)
		}
	}
	if declared == "" {
		return "query " + body
	}
	return "query(" + declared + ") " + body
}

// Variables returns values for the variables; one that may be absent is now and then.
func (d *Document) Variables() map[string]any {
	values := map[string]any{}
	for _, v := range d.variables {
		if strings.HasSuffix(v.typeName, "!") || d.IntN(5) > 0 {
			values[v.name] = v.values[d.IntN(len(v.values))]
		}
	}
	return values
}

func (d *Document) selection(on *ast.Definition, depth int) string {
	var b strings.Builder
	b.WriteString("{ ")
	for range 1 + d.IntN(5) {
		b.WriteString(d.selected(on, depth))
	}
	b.WriteString("}")
	return strings.Replace(b.String(), "{ }", "{ __typename }", 1)
}

func (d *Document) selected(on *ast.Definition, depth int) string {
	switch n := d.IntN(20); {
	case n == 0:
		return Pick(d.Rand, "", d.alias()) + "__typename" + d.directives()
	case n <= 2:
		return d.inline(on, depth)
	case n <= 4:
		var possible []fragment
		for _, f := range d.fragments {
			if f.on == on.Name || slices.Contains(on.Interfaces, f.on) || slices.Contains(d.schema.Types[f.on].Interfaces, on.Name) {
				possible = append(possible, f)
			}
		}
		if len(possible) == 0 {
			return ""
		}
		return "..." + Pick(d.Rand, possible...).name + " " + d.directives()
	case n <= 6 && len(d.repeated[on.Name]) > 0:
		again := Pick(d.Rand, d.repeated[on.Name]...)
		name := again[strings.Index(again, "|")+1:]
		return again[:strings.Index(again, "|")] + d.directives() + d.below(on.Fields.ForName(name), depth)
	}
	field := on.Fields[d.IntN(len(on.Fields))]
	if strings.HasPrefix(field.Name, "__") || depth <= 1 && d.schema.Types[field.Type.Name()].IsCompositeType() {
		return ""
	}
	head := Pick(d.Rand, "", d.alias()) + field.Name
	if arguments := d.arguments(field); arguments != "" {
		head = d.alias() + field.Name + "(" + arguments + ")"
	}
	d.repeated[on.Name] = append(d.repeated[on.Name], head+"|"+field.Name)
	return head + d.directives() + d.below(field, depth)
}

func (d *Document) below(field *ast.FieldDefinition, depth int) string {
	if of := d.schema.Types[field.Type.Name()]; of.IsCompositeType() {
		return d.selection(of, depth-1) + " "
	}
	return ""
}

func (d *Document) inline(on *ast.Definition, depth int) string {
	condition := Pick(d.Rand, "", "on "+on.Name)
	if len(on.Interfaces) > 0 && d.IntN(2) == 0 {
		condition, on = "on Node", d.schema.Types["Node"]
	} else if on.Name == "Node" && d.IntN(4) > 0 {
		on = d.schema.Types[Pick(d.Rand, "User", "Post", "Comment", "Like")]
		condition = "on " + on.Name
	}
	return "... " + condition + d.directives() + d.selection(on, depth) + " "
}

func (d *Document) alias() string {
	d.aliases++
	return fmt.Sprintf("a%d: ", d.aliases)
}

// directives returns none more often than not.
func (d *Document) directives() string {
	if d.IntN(8) > 0 {
		return " "
	}
	condition := Pick(d.Rand, "true", "false", "$"+d.variable("Boolean!", true, false))
	return fmt.Sprintf(" @%s(if: %s) ", Pick(d.Rand, "skip", "include"), condition)
}

func (d *Document) variable(typeName string, values ...any) string {
	for _, v := range d.variables {
		if v.typeName == typeName && d.IntN(2) == 0 {
			return v.name
		}
	}
	v := variable{fmt.Sprintf("v%d", len(d.variables)), typeName, values}
	d.variables = append(d.variables, v)
	return v.name
}

func (d *Document) arguments(field *ast.FieldDefinition) string {
	var all []string
	for _, a := range field.Arguments {
		seldom := 12
		if a.Name == "userId" || a.Name == "id" || a.Name == "first" || a.Name == "order" {
			seldom = 2
		}
		if a.Type.NonNull && a.DefaultValue == nil || d.IntN(seldom) == 0 {
			all = append(all, a.Name+": "+d.value(a))
		}
	}
	return strings.Join(all, ", ")
}

func (d *Document) value(a *ast.ArgumentDefinition) string {
	var values []any
	switch a.Type.Name() {
	case "ID":
		values = []any{Pick(d.Rand, d.names.Posts...)}
		if a.Name == "userId" {
			values = []any{Pick(d.Rand, d.names.Users...)}
		}
		if d.IntN(3) == 0 {
			values = []any{Pick(d.Rand, d.names.Users...), Pick(d.Rand, d.names.Posts...), Pick(d.Rand, d.names.All...), "garbage"}
		}
	case "String":
		values = []any{"alice", "BOB", "nobody", "", Pick(d.Rand, d.names.All...)}
		if a.Name != "username" {
			values = []any{Pick(d.Rand, d.names.All...), Pick(d.Rand, d.names.All...), "garbage"}
		}
	case "Int":
		values = []any{1, 2, 3, 4, 5, 3, 2, Pick(d.Rand, 4, 0, 100, 101)}
	case "SortOrder":
		values = []any{"NEWEST_FIRST", "OLDEST_FIRST"}
	case "DateTime":
		values = []any{"2025-03-01T09:30:00Z", "2025-03-01T11:00:00+01:00", "1969-12-31T23:59:59Z"}
	}
	if a.Type.Elem != nil {
		list := []any{Pick(d.Rand, d.names.All...), Pick(d.Rand, values...), Pick(d.Rand, values...)}
		values = []any{list, list[:1], []any{}}
	}
	if d.IntN(4) == 0 {
		return "$" + d.variable(a.Type.String(), values...)
	}
	if !a.Type.NonNull && d.IntN(12) == 0 {
		return "null"
	}
	return literal(Pick(d.Rand, values...), a.Type)
}

func literal(value any, of *ast.Type) string {
	switch v := value.(type) {
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, literal(item, of.Elem))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case string:
		if of.Name() == "SortOrder" {
			return v
		}
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}

// Pick returns one of some values.
func Pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }
