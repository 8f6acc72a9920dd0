package resolvers

import (
	"encoding/json"
	"maps"
	"regexp"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/graph/plan"
)

// question is what a subscription asks of each event: two that ask the same differ at most in
// where they begin.
type question struct{ document, operation, variables string }

// apartFromName is a variable whose name does not follow at once, or what looks like one in a text.
var apartFromName = regexp.MustCompile(`\$[^_A-Za-z]`)

// questionOf returns what an operation asks, without a variable that says where it begins, and nothing else: the document
// has it twice, where it is defined and there. Nil where the question can't be found out.
func questionOf(op *graphql.OperationContext) any {
	asked := maps.Clone(op.Variables)
	for _, field := range plan.Fields(op, op.Operation.SelectionSet, schema.Subscription) {
		after := field.Arguments.ForName("after")
		if after != nil && after.Value.Kind == ast.Variable && strings.Count(op.RawQuery, "$"+after.Value.Raw) == 2 && !apartFromName.MatchString(op.RawQuery) {
			delete(asked, after.Value.Raw)
		}
	}
	variables, err := json.Marshal(asked)
	if err != nil {
		return nil
	}
	return question{op.RawQuery, op.Operation.Name, string(variables)}
}
