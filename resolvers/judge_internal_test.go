package resolvers

import (
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// What can be wrong with the arguments of a field below a mutation's payload is known
// before the mutation writes.
func TestEveryListBelowAPayloadIsJudged(t *testing.T) {
	judged := map[string]bool{}
	for _, object := range schema.Types {
		if object.Kind != ast.Object || object.BuiltIn || slices.Contains([]*ast.Definition{schema.Query, schema.Mutation, schema.Subscription}, object) {
			continue
		}
		for _, field := range object.Fields {
			name := object.Name + "." + field.Name
			if len(field.Arguments) > 0 {
				judged[name] = true
				if judges[name] == nil {
					t.Errorf("%s has arguments, and a mutation that selects it finds a wrong one after it has written: add it to judges (judge.go)", name)
				}
			}
		}
	}
	for name := range judges {
		if !judged[name] {
			t.Errorf("judges (judge.go) has %s, which has no arguments in the schema", name)
		}
	}
}
