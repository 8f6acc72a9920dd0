package resolvers_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/graph"
)

// randomDocument is a query that is valid but for its values. Fields with arguments have an
// alias of their own, so that what repeats can be merged. Fragments on Node hold some on other
// types than the object has that they are spread on: those are valid, and don't apply.
type randomDocument struct {
	*rand.Rand
	names     []string // ids and cursors, right and wrong
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

var publicSchema = graph.NewExecutableSchema(graph.Config{}).Schema()

func newRandomDocument(random *rand.Rand, names *names) *randomDocument {
	d := &randomDocument{Rand: random, names: slices.Sorted(maps.Keys(names.real)), repeated: map[string][]string{}}
	for i := range d.IntN(4) {
		on := pick(random, "Query", "User", "Post", "Comment", "Like", "Node", "Node", "PostConnection", "CommentEdge")
		text := d.selection(publicSchema.Types[on], 3)
		d.fragments = append(d.fragments, fragment{fmt.Sprintf("F%d", i), on, text})
	}
	d.operation = d.selection(publicSchema.Query, 7)
	return d
}

// text returns the document, with those fragments and variables that it uses.
func (d *randomDocument) text() string {
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

// chosen returns values for the variables; one that may be absent is now and then.
func (d *randomDocument) chosen() map[string]any {
	values := map[string]any{}
	for _, v := range d.variables {
		if strings.HasSuffix(v.typeName, "!") || d.IntN(5) > 0 {
			values[v.name] = v.values[d.IntN(len(v.values))]
		}
	}
	return values
}

func (d *randomDocument) selection(on *ast.Definition, depth int) string {
	var b strings.Builder
	b.WriteString("{ ")
	for range 1 + d.IntN(5) {
		b.WriteString(d.selected(on, depth))
	}
	b.WriteString("}")
	return strings.Replace(b.String(), "{ }", "{ __typename }", 1)
}

func (d *randomDocument) selected(on *ast.Definition, depth int) string {
	switch n := d.IntN(20); {
	case n == 0:
		return pick(d.Rand, "", d.alias()) + "__typename" + d.directives()
	case n <= 2:
		return d.inline(on, depth)
	case n <= 4:
		var possible []fragment
		for _, f := range d.fragments {
			if f.on == on.Name || slices.Contains(on.Interfaces, f.on) || slices.Contains(publicSchema.Types[f.on].Interfaces, on.Name) {
				possible = append(possible, f)
			}
		}
		if len(possible) == 0 {
			return ""
		}
		return "..." + pick(d.Rand, possible...).name + " " + d.directives()
	case n <= 6 && len(d.repeated[on.Name]) > 0:
		again := pick(d.Rand, d.repeated[on.Name]...)
		name := again[strings.Index(again, "|")+1:]
		return again[:strings.Index(again, "|")] + d.directives() + d.below(on.Fields.ForName(name), depth)
	}
	field := on.Fields[d.IntN(len(on.Fields))]
	if strings.HasPrefix(field.Name, "__") || depth <= 1 && publicSchema.Types[field.Type.Name()].IsCompositeType() {
		return ""
	}
	head := pick(d.Rand, "", d.alias()) + field.Name
	if arguments := d.arguments(field); arguments != "" {
		head = d.alias() + field.Name + "(" + arguments + ")"
	}
	d.repeated[on.Name] = append(d.repeated[on.Name], head+"|"+field.Name)
	return head + d.directives() + d.below(field, depth)
}

func (d *randomDocument) below(field *ast.FieldDefinition, depth int) string {
	if of := publicSchema.Types[field.Type.Name()]; of.IsCompositeType() {
		return d.selection(of, depth-1) + " "
	}
	return ""
}

func (d *randomDocument) inline(on *ast.Definition, depth int) string {
	condition := pick(d.Rand, "", "on "+on.Name)
	if len(on.Interfaces) > 0 && d.IntN(2) == 0 {
		condition, on = "on Node", publicSchema.Types["Node"]
	} else if on.Name == "Node" && d.IntN(4) > 0 {
		on = publicSchema.Types[pick(d.Rand, "User", "Post", "Comment", "Like")]
		condition = "on " + on.Name
	}
	return "... " + condition + d.directives() + d.selection(on, depth) + " "
}

func (d *randomDocument) alias() string {
	d.aliases++
	return fmt.Sprintf("a%d: ", d.aliases)
}

// directives returns none more often than not.
func (d *randomDocument) directives() string {
	if d.IntN(8) > 0 {
		return " "
	}
	condition := pick(d.Rand, "true", "false", "$"+d.variable("Boolean!", true, false))
	return fmt.Sprintf(" @%s(if: %s) ", pick(d.Rand, "skip", "include"), condition)
}

func (d *randomDocument) variable(typeName string, values ...any) string {
	for _, v := range d.variables {
		if v.typeName == typeName && d.IntN(2) == 0 {
			return v.name
		}
	}
	v := variable{fmt.Sprintf("v%d", len(d.variables)), typeName, values}
	d.variables = append(d.variables, v)
	return v.name
}

func (d *randomDocument) arguments(field *ast.FieldDefinition) string {
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

func (d *randomDocument) value(a *ast.ArgumentDefinition) string {
	var values []any
	switch a.Type.Name() {
	case "ID":
		values = []any{d.name("post:")}
		if a.Name == "userId" {
			values = []any{d.name("user:")}
		}
		if d.IntN(3) == 0 {
			values = []any{d.name("user:"), d.name("post:"), pick(d.Rand, d.names...), "garbage"}
		}
	case "String":
		values = []any{"alice", "BOB", "nobody", "", pick(d.Rand, d.names...)}
		if a.Name != "username" {
			values = []any{pick(d.Rand, d.names...), pick(d.Rand, d.names...), "garbage"}
		}
	case "Int":
		values = []any{1, 2, 3, 4, 5, 3, 2, pick(d.Rand, 4, 0, 100, 101)}
	case "SortOrder":
		values = []any{"NEWEST_FIRST", "OLDEST_FIRST"}
	case "DateTime":
		values = []any{"2025-03-01T09:30:00Z", "2025-03-01T11:00:00+01:00", "1969-12-31T23:59:59Z"}
	}
	if a.Type.Elem != nil {
		list := []any{pick(d.Rand, d.names...), pick(d.Rand, values...), pick(d.Rand, values...)}
		values = []any{list, list[:1], []any{}}
	}
	if d.IntN(4) == 0 {
		return "$" + d.variable(a.Type.String(), values...)
	}
	if !a.Type.NonNull && d.IntN(12) == 0 {
		return "null"
	}
	return literal(pick(d.Rand, values...), a.Type)
}

// name returns an id that a name of the fixture stands for.
func (d *randomDocument) name(kind string) string {
	return "<" + kind + pick(d.Rand, map[string][]string{
		"user:": {"alice", "bob", "carol", "never"},
		"post:": {"p03", "p04", "p05", "p06", "p25", "g01", "never"},
	}[kind]...) + ">"
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

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// given replaces names by what they stand for in the values of variables.
func (n *names) given(values map[string]any) map[string]any {
	for name, value := range values {
		values[name] = n.stoodFor(value)
	}
	return values
}

func (n *names) stoodFor(value any) any {
	switch v := value.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = n.stoodFor(v[i])
		}
		return all
	case string:
		if text, ok := n.real[v]; ok {
			return text
		}
	}
	return value
}
