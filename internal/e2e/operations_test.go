package e2e

import (
	"cmp"
	"regexp"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/httpapi/playground"
)

// nothing is a response whose root field is null.
var nothing = regexp.MustCompile(`^\{"data":\{"\w+":null`)

// Every saved operation of the playground works on the demo data, with ids of the server in the place
// of what its variables say, as the page puts them there.
func TestPlaygroundOperations(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir()).Ready()
	another := s.As("bob", `{ viewer { id username posts(first: 1) { edges { node { id } } } } }`, "").OK()
	own := s.As("alice", `{ viewer { posts(last: 1) { edges { node { id } } } } }`, "").OK().At("data.viewer.posts.edges.0.node.id")
	known := strings.NewReplacer(
		"an id from the Feed tab", another.At("data.viewer.posts.edges.0.node.id"),
		"a username from the Feed tab", another.At("data.viewer.username"),
		"a user's id from the Feed tab", another.At("data.viewer.id"),
		"the id of a post of yours", own,
	)
	for _, op := range playground.Operations() {
		if strings.Contains(op.Query, "\nsubscription ") {
			continue // a browser plays it, over a WebSocket
		}
		variables := known.Replace(string(op.Variables))
		if strings.Contains(variables, "tab") || strings.Contains(variables, "yours") {
			t.Fatalf("%s: nothing is known to put into %s", op.Name, variables)
		}
		a := s.As(cmp.Or(op.Subject, "alice"), op.Query, variables).OK()
		if nothing.MatchString(a.Text) || strings.Contains(a.Text, `"userErrors":[{`) {
			t.Errorf("%s answers %s", op.Name, a.Text)
		}
	}
	s.As("", `query($id: ID!) { post(id: $id) { id } }`, `{"id": "`+own+`"}`).OK().Want("data.post", "null")
	s.As("alice", `{ viewer { username } }`, "").OK().Want("data.viewer.username", "alice_the_author")
}
