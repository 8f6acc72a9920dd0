package resolvers

import (
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
)

// Two subscriptions that differ in where they begin ask the same, unless what says so says something else, too.
func TestWhereASubscriptionBeginsIsNoQuestion(t *testing.T) {
	for text, same := range map[string]bool{
		`subscription($at: String) { postCreated(after: $at) { cursor } }`:                                                   true,
		`subscription($at: String) { ...F } fragment F on Subscription { postCreated(after: $at) { cursor } }`:               true,
		`subscription($at: String) { postCreated(after: $at) { post { likes(after: $at) { totalCount } } } }`:                false,
		`subscription($at: String) { postCreated(after: $at) { post { likes(after: $ at) { totalCount } } } }`:               false,
		`subscription($at: String, $of: ID!) { commentCreated(postId: $of, after: $at) { cursor } }`:                         true,
		`subscription($at: String, $att: String) { postCreated(after: $at) { post { likes(after: $att) { totalCount } } } }`: false,
	} {
		doc, errs := gqlparser.LoadQuery(schema, text)
		if errs != nil {
			t.Fatal(errs)
		}
		asked := func(at string) any {
			return questionOf(&graphql.OperationContext{RawQuery: text, Doc: doc, Operation: doc.Operations[0], Variables: map[string]any{"at": at, "of": "x", "att": "y"}})
		}
		if (asked("a") == asked("b")) != same {
			t.Errorf("%s: the same question, want %v: %v", text, same, asked("a"))
		}
	}
}
