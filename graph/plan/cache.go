package plan

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/internal/recent"
)

// How many plans are kept, and what those may take of memory with their
// documents, which are kept as well, text and all.
const (
	maxPlans       = 1_000
	maxBytes       = 4 << 20
	selectionBytes = 256 // about what a field, a fragment, an argument of a document takes
	fieldBytes     = 384 // about what a field of a plan takes
)

// Plans are the plans of a schema's operations, kept for the documents that were executed last. A document that is
// parsed again is another one. Plans are safe for concurrent use.
type Plans struct {
	schema   *ast.Schema
	resolved map[string]bool
	kept     *recent.Cache[choice, *Plan]
}

// choice is an operation with the values of its boolean variables, which decide what is skipped.
type choice struct {
	operation *ast.OperationDefinition
	values    string
}

// New returns plans for a schema. Resolved are the fields that have a resolver, as
// "Post.author".
func New(schema *ast.Schema, resolved map[string]bool) *Plans {
	return &Plans{schema: schema, resolved: resolved, kept: recent.New[choice, *Plan](maxPlans, maxBytes)}
}

// Of returns the plan of an operation whose variables are known.
func (p *Plans) Of(oc *graphql.OperationContext) *Plan {
	key := choice{oc.Operation, conditions(oc)}
	if plan, known := p.kept.Get(key); known {
		return plan
	}
	selections := 0
	for _, o := range oc.Doc.Operations {
		selections += count(o.SelectionSet)
	}
	for _, f := range oc.Doc.Fragments {
		selections += count(f.SelectionSet)
	}
	plan := p.compile(oc)
	return p.kept.Add(key, plan, len(oc.Operation.Position.Src.Input)+selectionBytes*selections+fieldBytes*plan.fields)
}

func (p *Plans) compile(oc *graphql.OperationContext) *Plan {
	c := compiler{operation: oc, schema: p.schema, resolved: p.resolved}
	plan := &Plan{commands: oc.Operation.Operation == ast.Mutation}
	root := Root(p.schema, oc.Operation.Operation)
	plan.root, plan.query = root.Name, c.selection(oc.Operation.SelectionSet, root, false)
	plan.frames, plan.fields = c.frames, c.fields
	return plan
}

// Root returns the type of the operations of a kind.
func Root(schema *ast.Schema, operation ast.Operation) *ast.Definition {
	switch operation {
	case ast.Mutation:
		return schema.Mutation
	case ast.Subscription:
		return schema.Subscription
	default:
		return schema.Query
	}
}

// conditions returns the values of an operation's boolean variables.
func conditions(oc *graphql.OperationContext) string {
	var values []byte
	for _, v := range oc.Operation.VariableDefinitions {
		if v.Type.NamedType != "Boolean" {
			continue
		}
		value := byte(0)
		if oc.Variables[v.Variable] == true {
			value = 1
		}
		values = append(values, value)
	}
	return string(values)
}

// count returns how many selections and arguments a selection has in it, those of fragments that it spreads left out.
func count(set ast.SelectionSet) (n int) {
	for _, selected := range set {
		switch s := selected.(type) {
		case *ast.Field:
			n += len(s.Arguments) + count(s.SelectionSet)
		case *ast.InlineFragment:
			n += count(s.SelectionSet)
		}
	}
	return n + len(set)
}
