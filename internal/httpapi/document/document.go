// Package document turns the text of a GraphQL request into a document that may be executed, parsed, within limits and
// validated, and finds the operation in it that is asked for, with its variables. A document is measured before it is
// validated, where a small text can cost much: some rules compare every field with every other, and fragments that
// spread fragments stand for exponentially many.
package document

import (
	"context"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/core"

	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/coerce"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/pace"
	"broadsheet/internal/recent"
	"broadsheet/internal/refusal"
)

// maxComparisons bounds how often validation compares two fields: each takes about a quarter of a microsecond. 220
// times the same field at one place are as many, or 20 fragments that repeat each other in 120 fields.
const maxComparisons = 25_000

// How much is kept of documents that were validated.
const (
	maxCached      = 1_000
	maxCachedBytes = 4 << 20 // of documents, by weight
	selectionBytes = 256     // about what is made of one selection or value
)

// The work that a new document takes, in units of a tenth of a millisecond. One that is kept takes none.
const (
	textUnit       = 4 << 10 // bytes that are parsed
	selectionUnit  = 16      // selections that are validated
	comparisonUnit = 400     // fields that are compared
)

// Documents prepares documents, and keeps those that it prepared last. It is safe for concurrent use.
type Documents struct {
	schema        *ast.Schema
	inputs        *coerce.Types
	rules         []core.Rule // of the specification
	silent        []core.Rule // the same, whose errors suggest no names
	limits        *limit.Values
	introspection bool

	kept *recent.Cache[string, *Document] // by text; a weight is about what it takes of memory

	Turns  pace.Places               // for what takes long. They are set before the first document comes
	around *graphql.OperationContext // of no operation: what an executor has around its resolvers
}

// Document was found valid. What is known of it lasts as long as it is kept.
type Document struct {
	*ast.QueryDocument
	costs sync.Map // of its operations that cost the same whatever their variables are
}

// Cost returns what an operation of the document costs. It is found out once where no variable has a say in it.
func (d *Document) Cost(op *graphql.OperationContext, find func(*graphql.OperationContext) (cost int, constant bool)) int {
	if cost, known := d.costs.Load(op.Operation); known {
		return cost.(int)
	}
	cost, constant := find(op)
	if constant {
		d.costs.Store(op.Operation, cost)
	}
	return cost
}

// New returns documents of a schema, whose scalars read values as [coerce.NewTypes] says. Without introspection
// __schema and __type are refused, and errors suggest no names; nor do those of long texts.
func New(schema *ast.Schema, scalars map[string]func(any) (any, error), limits *limit.Values, introspection bool) *Documents {
	inputs := coerce.NewTypes(schema, scalars)
	return &Documents{
		schema: schema, inputs: inputs, rules: rulesOf(inputs, true), silent: rulesOf(inputs, false), limits: limits, introspection: introspection,
		kept: recent.New[string, *Document](maxCached, maxCachedBytes), around: &graphql.OperationContext{},
	}
}

// Attach has operations run with what an executor has around its resolvers by now. It is called before the first
// document comes.
func (d *Documents) Attach(exec graphql.GraphExecutor) {
	ctx := graphql.StartOperationTrace(context.Background())
	around, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: "{__typename}"})
	if errs != nil {
		panic(errs) // every schema answers it
	}
	d.around = around
}

// Prepare returns the document of a text, or why it can't be executed. A new document is work, for which by
// pays.
func (d *Documents) Prepare(ctx context.Context, by *client.Budget, text string) (*Document, gqlerror.List) {
	if doc, known := d.kept.Get(text); known {
		return doc, nil
	}
	text = strings.Clone(text) // it may be a part of a long URL
	made, weight, errs := d.make(ctx, by, text)
	if errs != nil {
		return nil, errs
	}
	return d.kept.Add(text, &Document{QueryDocument: made}, weight), nil
}

// make returns a document, and about what it takes of memory, in bytes.
func (d *Documents) make(ctx context.Context, by *client.Budget, text string) (doc *ast.QueryDocument, weight int, errs gqlerror.List) {
	if refused := by.Begin(textUnits(text)); refused != nil {
		return nil, 0, refused.List()
	}
	doc, err := d.parse(ctx, text)
	if err != nil {
		return nil, 0, gqlerror.List{err}
	}
	if len(doc.Operations) == 0 {
		return nil, 0, gqlerror.List{unknownOperation("Must provide an operation.")}
	}
	size, err := measure(doc, d.limits)
	if err != nil {
		return nil, 0, gqlerror.List{err}
	}
	if size.introspects && !d.introspection {
		return nil, 0, refusal.New(refusal.CodeIntrospectionDisabled, "introspection is switched off on this server").Beyond("introspection").List()
	}
	if refused := by.Begin(size.units()); refused != nil {
		return nil, 0, refused.List()
	}
	defer d.Turn(ctx, size.units())()
	checked := d.silent
	if d.introspection && len(text) <= maxSuggesting {
		checked = d.rules
	}
	if errs = d.validate(doc, checked); errs == nil {
		d.settle(doc)
	}
	for _, err := range errs {
		errcode.Set(err, errcode.ValidationFailed)
	}
	return doc, len(text) + selectionBytes*size.selections, errs
}

func (d *Documents) parse(ctx context.Context, text string) (*ast.QueryDocument, *gqlerror.Error) {
	defer d.Turn(ctx, textUnits(text))()
	source := &ast.Source{Input: text}
	doc, err := parser.ParseQueryWithTokenLimit(source, d.limits.Int(limit.Tokens))
	if err == nil {
		err = misread(source)
	}
	if err == nil {
		return doc, nil
	}
	shown := gqlerror.WrapIfUnwrapped(err)
	if strings.HasPrefix(shown.Message, "exceeded token limit") {
		return nil, exceeds(d.limits, limit.Tokens)
	}
	errcode.Set(shown, errcode.ParseFailed)
	return nil, shown
}

func textUnits(text string) int { return len(text)/textUnit + 1 }

// ManyUnits is from how many units on work is done in turns.
const ManyUnits = 10

// Turn waits until what takes so many units may be done, and returns what ends that. What takes long leaves a processor
// free, as large answers do.
func (d *Documents) Turn(ctx context.Context, units int) (end func()) {
	if d == nil || units < ManyUnits {
		return func() {}
	}
	return d.Turns.Enter(ctx.Done())
}

// Operation returns what a request asks the attached executor to do, and of which document; or what is wrong with
// that, the operation's name or its variables.
func (d *Documents) Operation(ctx context.Context, by *client.Budget, params *graphql.RawParams) (*graphql.OperationContext, *Document, gqlerror.List) {
	op := &graphql.OperationContext{
		RawQuery: params.Query, RecoverFunc: d.around.RecoverFunc,
		ResolverMiddleware: d.around.ResolverMiddleware, RootResolverMiddleware: d.around.RootResolverMiddleware,
	}
	doc, errs := d.Prepare(ctx, by, params.Query)
	if errs != nil {
		return op, nil, errs
	}
	named, err := doc.named(params.OperationName)
	if err != nil {
		return op, doc, gqlerror.List{err}
	}
	op.Doc, op.Operation = doc.QueryDocument, named
	op.Variables, errs = d.inputs.Variables(named, params.Variables)
	return op, doc, errs
}

// named returns the operation that a request names. Without a name it is the only one.
func (d *Document) named(name string) (*ast.OperationDefinition, *gqlerror.Error) {
	op := d.Operations.ForName(name)
	switch {
	case op != nil:
		return op, nil
	case name == "":
		return nil, unknownOperation("Must provide operation name if query contains multiple operations.")
	default:
		return nil, unknownOperation(`Unknown operation named "` + name + `".`)
	}
}

func unknownOperation(message string) *gqlerror.Error {
	return refusal.New(refusal.CodeUnknownOperation, message).GraphQL()
}

// settle takes from a valid document what gqlparser would read otherwise than the specification has it. An integer that
// is an ID is its digits, which may be more than a Go integer has. And a variable without a value is absent: the
// variables have their defaults already, and in a fragment gqlparser would find those of the last operation that
// spreads it.
func (d *Documents) settle(doc *ast.QueryDocument) {
	values := &core.Events{}
	values.OnValue(func(_ *core.Walker, v *ast.Value) {
		v.VariableDefinition = nil
		if v.Kind == ast.IntValue && v.Definition != nil && v.Definition.Name == "ID" {
			v.Kind = ast.StringValue
		}
	})
	core.Walk(d.schema, doc, values)
}
