package resolvers

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/graph"
)

// A field with a resolver reads, and one without a cost would be free for ever, unless it is said why.
func TestEveryResolverHasItsCost(t *testing.T) {
	for name := range graph.Resolved {
		object, field, _ := strings.Cut(name, ".")
		if object == "Mutation" {
			continue // each costs the same
		}
		asked := graphql.CollectedField{Field: &ast.Field{Definition: schema.Types[object].Fields.ForName(field)}}
		if _, said := apart[name]; reads(asked, name) == 0 && !said {
			t.Errorf("%s has a resolver and no cost", name)
		}
	}
	for name := range apart {
		if !graph.Resolved[name] {
			t.Errorf("%s has a cost and no resolver", name)
		}
	}
}

// unlimited are the mutations that have no units of writing.
var unlimited = map[string]string{
	"updatePost":    "edits what was counted; its work is",
	"updateComment": "likewise",
	"deletePost":    "takes back what was counted",
	"deleteComment": "likewise",
	"updateGroup":   "edits what was counted",
	"deleteGroup":   "takes back what was counted",
	"suspendUser":   "is a moderator's; its work is counted",
	"restoreUser":   "likewise",

	"bookmarkPost":   "no list grows by it but the viewer's own; its work is counted",
	"unbookmarkPost": "likewise",
}

// Each mutation is counted by what it writes, or it is said why not.
func TestEveryMutationIsCounted(t *testing.T) {
	for _, m := range schema.Mutation.Fields {
		if (effects[m.Name] == nil) == (unlimited[m.Name] == "") {
			t.Errorf("%s is to be in effects (cost.go), or in unlimited with why not", m.Name)
		}
	}
}
