package resolvers_test

import (
	"maps"
	"math/rand/v2"
	"slices"

	"broadsheet/graph"
	"broadsheet/graph/graphtest"
)

var publicSchema = graph.NewExecutableSchema(graph.Config{}).Schema()

// randomDocument makes a document of the fixture's names.
func (n *names) randomDocument(random *rand.Rand) *graphtest.Document {
	return graphtest.New(random, publicSchema, graphtest.Names{
		Users: []string{"<user:alice>", "<user:bob>", "<user:carol>", "<user:never>"},
		Posts: []string{"<post:p03>", "<post:p04>", "<post:p05>", "<post:p06>", "<post:p25>", "<post:g01>", "<post:never>"},
		All:   slices.Sorted(maps.Keys(n.real)),
	})
}

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
