package resolvers

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"broadsheet/graph"
)

// free are the fields with a resolver that reads nothing.
var free = map[string]string{
	"Subscription.postCreated": "begins where the hub stands, and events come from there",

	"User.email":         "is shown to its owner alone, and comes with the user",
	"User.emailVerified": "is told its owner alone, and comes with the user",
	"User.suspended":     "is told its owner and moderators, and comes with the user; whether the viewer is one is read once",
}

// A field with a resolver reads, and one without a cost would be free for ever.
func TestEveryResolverHasItsCost(t *testing.T) {
	resolved := map[string]bool{}
	for object := range reflect.TypeFor[graph.ResolverRoot]().Methods() {
		if object.Name == "Mutation" {
			continue // each costs the same
		}
		for method := range object.Type.Out(0).Methods() {
			field := object.Name + "." + strings.ToLower(method.Name[:1]) + method.Name[1:]
			resolved[field] = true
			if reads[field] == 0 && free[field] == "" {
				t.Errorf("%s has a resolver and no cost: say in reads (cost.go) how many partitions it reads, or in free why none", field)
			}
		}
	}
	for _, field := range slices.Concat(slices.Collect(maps.Keys(reads)), slices.Collect(maps.Keys(free))) {
		if !resolved[field] {
			t.Errorf("%s has a cost and no resolver", field)
		}
	}
}

// unlimited are the mutations that have no units of writing.
var unlimited = map[string]string{
	"updatePost":    "edits what was counted; its work is",
	"updateComment": "likewise",
	"deletePost":    "takes back what was counted",
	"deleteComment": "likewise",
	"suspendUser":   "is a moderator's; its work is counted",
	"restoreUser":   "likewise",
}

// Each mutation is counted by what it writes, or it is said why not.
func TestEveryMutationIsCounted(t *testing.T) {
	for _, m := range schema.Mutation.Fields {
		if (writeUnits[m.Name] == nil) == (unlimited[m.Name] == "") {
			t.Errorf("%s is to be in writeUnits (cost.go), or in unlimited with why not", m.Name)
		}
	}
}
