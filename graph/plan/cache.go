package plan

import (
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/internal/recent"
)

// How many operations have their plans kept, and what those may take of memory with their
// documents, which are kept as well, text and all.
const (
	maxOperations  = 1_000
	maxBytes       = 4 << 20
	maxVariants    = 16  // plans of an operation, which differ in what is skipped
	selectionBytes = 256 // about what a field, a fragment, an argument of a document takes
	fieldBytes     = 384 // about what a field of a plan takes
)

// Plans are the plans of a schema's operations. They are kept for the documents that were
// executed last. A document that is parsed again is another one. Plans are safe for
// concurrent use.
type Plans struct {
	schema   *ast.Schema
	resolved map[string]bool
	kept     *recent.Cache[*ast.OperationDefinition, *operation]
}

// operation is what is known of an operation's plans.
type operation struct {
	conditions []string // the variables that decide what is skipped
	never      bool     // gqlgen answers it
	selections int      // of its document

	mu    sync.Mutex
	plans map[string]*Plan // by the values of the conditions
}

// New returns plans for a schema. Resolved are the fields that have a resolver, as
// "Post.author".
func New(schema *ast.Schema, resolved map[string]bool) *Plans {
	return &Plans{schema: schema, resolved: resolved, kept: recent.New[*ast.OperationDefinition, *operation](maxOperations, maxBytes)}
}

// Of returns the plan of an operation whose variables are known; nil for those that
// gqlgen executes, which have @defer.
func (p *Plans) Of(oc *graphql.OperationContext) *Plan {
	op := p.operation(oc)
	if op.never {
		return nil
	}
	values, ok := op.values(oc.Variables)
	if !ok {
		return nil
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	plan := op.plans[values]
	if plan == nil {
		plan = p.compile(oc)
		if len(op.plans) < maxVariants && p.kept.Grow(oc.Operation, fieldBytes*plan.fields) {
			op.plans[values] = plan
		}
	}
	return plan
}

func (p *Plans) operation(oc *graphql.OperationContext) *operation {
	if op, known := p.kept.Get(oc.Operation); known {
		return op
	}
	op := inspect(oc.Doc)
	return p.kept.Add(oc.Operation, op, len(oc.Operation.Position.Src.Input)+selectionBytes*op.selections)
}

func (p *Plans) compile(oc *graphql.OperationContext) *Plan {
	c := compiler{operation: oc, schema: p.schema, resolved: p.resolved}
	plan := &Plan{commands: oc.Operation.Operation == ast.Mutation}
	root := p.schema.Query
	switch oc.Operation.Operation {
	case ast.Mutation:
		root = p.schema.Mutation
	case ast.Subscription:
		root = p.schema.Subscription
	}
	plan.root, plan.query = root.Name, c.selection(oc.Operation.SelectionSet, root, false)
	plan.frames, plan.fields = c.frames, c.fields
	return plan
}

// values returns what the conditions are, false where one is no boolean: gqlgen says what
// that means.
func (op *operation) values(variables map[string]any) (string, bool) {
	if len(op.conditions) == 0 {
		return "", true
	}
	values := make([]byte, len(op.conditions))
	for i, name := range op.conditions {
		value, ok := variables[name].(bool)
		if !ok {
			return "", false
		}
		if value {
			values[i] = 1
		}
	}
	return string(values), true
}

// inspect finds what the plans of a document's operations depend on.
func inspect(doc *ast.QueryDocument) *operation {
	op := &operation{plans: map[string]*Plan{}}
	for _, o := range doc.Operations {
		op.inspect(o.SelectionSet)
	}
	for _, f := range doc.Fragments {
		op.inspect(f.SelectionSet)
	}
	slices.Sort(op.conditions)
	op.conditions = slices.Compact(op.conditions)
	return op
}

func (op *operation) inspect(set ast.SelectionSet) {
	op.selections += len(set)
	for _, selected := range set {
		switch s := selected.(type) {
		case *ast.Field:
			op.selections += len(s.Arguments)
			op.note(s.Directives)
			op.inspect(s.SelectionSet)
		case *ast.InlineFragment:
			op.note(s.Directives)
			op.inspect(s.SelectionSet)
		case *ast.FragmentSpread:
			op.note(s.Directives)
		}
	}
}

func (op *operation) note(directives ast.DirectiveList) {
	for _, d := range directives {
		op.never = op.never || d.Name == "defer"
		for _, argument := range d.Arguments {
			if argument.Value.Kind == ast.Variable {
				op.conditions = append(op.conditions, argument.Value.Raw)
			}
		}
	}
}
