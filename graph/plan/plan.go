package plan

import (
	"slices"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Plan is how an operation is answered, for one choice of what is skipped.
type Plan struct {
	root           string // the type of the operation
	commands       bool   // it is a mutation
	query          *Selection
	frames         int       // how many contexts a writer may have to keep
	fields         int       // in all selections
	answers, parts sync.Pool // of *Writer: parts are many, and short
	asked          sync.Map  // see [Limit.Asked]
}

// Selection is what is asked of objects of one type.
type Selection struct {
	fields []Field     // in the order of the answer
	apart  []int       // of the fields: they run beside each other, before the others
	below  expectation // of any of the fields
}

// expectation is what is known of fields before they are resolved.
type expectation struct {
	resolved bool // there is a resolver
	reads    bool // there is one that may make a read that was not started
}

// Field is a field of a selection: all fields of the document that are one in the answer.
type Field struct {
	graphql.CollectedField
	expectation // of the field and, as far as no resolver lies between, what is below it

	key        string // the name in the answer, as `"title":`; a comma before all but the first
	nonNull    bool
	beside     bool         // its values, of a list, are written beside each other
	frame      int          // of its context; that of its rows is the next one
	selections []*Selection // of each type that its values may have
	types      []string     // their names
}

// Object returns what is asked of the field's values, which are objects of one type.
func (f *Field) Object() *Selection { return f.selections[0] }

// On returns what is asked of those values of the field that are objects of a type.
func (f *Field) On(object string) *Selection { return f.selections[slices.Index(f.types, object)] }

// compiler makes one plan.
type compiler struct {
	operation *graphql.OperationContext
	schema    *ast.Schema
	resolved  map[string]bool // the fields that have a resolver, as "Post.author"
	frames    int
	fields    int
}

// selection compiles what is asked of objects of a type. Listed: they are rows of a list,
// which has started what their resolvers wait for.
func (c *compiler) selection(set ast.SelectionSet, object *ast.Definition, listed bool) *Selection {
	s := &Selection{}
	for _, collected := range Fields(c.operation, set, object) {
		if slices.ContainsFunc(s.fields, func(f Field) bool { return f.Alias == collected.Alias }) {
			continue // written once
		}
		f := c.field(collected, object, listed)
		if len(s.fields) > 0 {
			f.key = "," + f.key
		}
		s.below.resolved = s.below.resolved || f.resolved
		s.below.reads = s.below.reads || f.reads
		s.fields = append(s.fields, f)
		c.fields++
	}
	s.apart = c.apart(s.fields, object)
	return s
}

// Fields returns what a selection asks of objects of a type: fragments that don't apply to
// it, which may stand in fragments that do, ask nothing of them. What is skipped is left out,
// and fields that are one in the answer are one.
func Fields(op *graphql.OperationContext, set ast.SelectionSet, object *ast.Definition) []graphql.CollectedField {
	satisfies := make([]string, 1, 1+len(object.Interfaces))
	satisfies[0] = object.Name
	return graphql.CollectFields(op, set, append(satisfies, object.Interfaces...))
}

func (c *compiler) field(collected graphql.CollectedField, object *ast.Definition, listed bool) Field {
	f := Field{
		CollectedField: collected,
		key:            string(appendQuoted(nil, collected.Alias)) + ":",
		nonNull:        collected.Definition.Type.NonNull,
	}
	if f.Name == "__typename" {
		return f
	}
	resolver := c.hasResolver(object, f.Name)
	f.resolved = resolver
	f.frame = c.frames
	c.frames += 2
	var below expectation
	if !strings.HasPrefix(f.Name, "__") {
		below = c.values(&f, listed && !resolver || f.Definition.Type.Elem != nil)
	}
	f.beside = below.reads
	if resolver {
		f.reads = !listed || len(f.Definition.Arguments) > 0 || below.resolved
	} else {
		f.expectation = below
	}
	return f
}

// values compiles what is asked of a field's values.
func (c *compiler) values(f *Field, listed bool) (below expectation) {
	for _, object := range c.schema.GetPossibleTypes(c.schema.Types[f.Definition.Type.Name()]) {
		if object.Kind != ast.Object {
			continue
		}
		s := c.selection(f.Selections, object, listed)
		f.types, f.selections = append(f.types, object.Name), append(f.selections, s)
		below.resolved = below.resolved || s.below.resolved
		below.reads = below.reads || s.below.reads
	}
	return below
}

// apart returns the fields of an object that run beside each other: those with resolvers
// that may read, unless one is the only resolver.
func (c *compiler) apart(fields []Field, object *ast.Definition) (reading []int) {
	resolvers := 0
	for i, f := range fields {
		if f.Name == "__typename" || !c.hasResolver(object, f.Name) {
			continue
		}
		resolvers++
		if f.reads {
			reading = append(reading, i)
		}
	}
	if resolvers < 2 {
		return nil
	}
	return reading
}

// hasResolver reports whether a function of the resolvers, or gqlgen, is to be called for
// a field.
func (c *compiler) hasResolver(object *ast.Definition, name string) bool {
	return strings.HasPrefix(name, "__") || c.resolved[object.Name+"."+name]
}
