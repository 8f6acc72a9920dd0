package plan

import (
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// How many operations have their plans kept, and how large the texts of their documents
// may be, which are kept as well, as they were parsed.
const (
	maxOperations = 1_000
	maxBytes      = 4 << 20
	maxVariants   = 16 // plans of an operation, which differ in what is skipped
)

// Plans are the plans of a schema's queries. They are kept for the documents that were
// executed last. A document that is parsed again is another one. Plans are safe for
// concurrent use.
type Plans struct {
	schema   *ast.Schema
	resolved map[string]bool

	mu    sync.Mutex
	kept  *lru.Cache[*ast.OperationDefinition, *operation]
	bytes int // of the documents' texts
}

// operation is what is known of an operation's plans.
type operation struct {
	conditions []string // the variables that decide what is skipped
	never      bool     // gqlgen answers it

	mu    sync.Mutex
	plans map[string]*Plan // by the values of the conditions
}

// New returns plans for a schema. Resolved are the fields that have a resolver, as
// "Post.author".
func New(schema *ast.Schema, resolved map[string]bool) *Plans {
	p := &Plans{schema: schema, resolved: resolved}
	kept, err := lru.NewWithEvict(maxOperations, func(op *ast.OperationDefinition, _ *operation) { p.bytes -= textOf(op) })
	if err != nil {
		panic(err) // the size is a constant above 0
	}
	p.kept = kept
	return p
}

func textOf(op *ast.OperationDefinition) int { return len(op.Position.Src.Input) }

// Of returns the plan of an operation whose variables are known; nil for those that
// gqlgen executes: mutations, subscriptions, and queries with @defer.
func (p *Plans) Of(oc *graphql.OperationContext) *Plan {
	if oc.Operation.Operation != ast.Query {
		return nil
	}
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
		if len(op.plans) < maxVariants {
			op.plans[values] = plan
		}
	}
	return plan
}

func (p *Plans) operation(oc *graphql.OperationContext) *operation {
	p.mu.Lock()
	defer p.mu.Unlock()
	if op, ok := p.kept.Get(oc.Operation); ok {
		return op
	}
	op := inspect(oc.Doc)
	if size := textOf(oc.Operation); size <= maxBytes/16 {
		p.bytes += size
		p.kept.Add(oc.Operation, op)
		for p.bytes > maxBytes {
			p.kept.RemoveOldest()
		}
	}
	return op
}

func (p *Plans) compile(oc *graphql.OperationContext) *Plan {
	c := compiler{operation: oc, schema: p.schema, resolved: p.resolved}
	plan := &Plan{query: c.selection(oc.Operation.SelectionSet, p.schema.Query, false)}
	plan.frames = c.frames
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
	for _, selected := range set {
		switch s := selected.(type) {
		case *ast.Field:
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
