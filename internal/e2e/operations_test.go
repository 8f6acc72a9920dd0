package e2e

import (
	"cmp"
	"regexp"
	"strings"
	"testing"

	"broadsheet/internal/httpapi/playground"
)

// nothing is a response whose root field is null.
var nothing = regexp.MustCompile(`^\{"data":\{"\w+":null`)

// Every saved operation of the playground works on the demo data, with ids of the server in the place
// of what its variables say, as the page puts them there.
func TestPlaygroundOperations(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir()).ready()
	another := s.as("bob", `{ viewer { username posts(first: 1) { edges { node { id } } } } }`, "").ok()
	own := s.as("alice", `{ viewer { posts(last: 1) { edges { node { id } } } } }`, "").ok().at("data.viewer.posts.edges.0.node.id")
	known := strings.NewReplacer(
		"an id from the Feed tab", another.at("data.viewer.posts.edges.0.node.id"),
		"a username from the Feed tab", another.at("data.viewer.username"),
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
		a := s.as(cmp.Or(op.Subject, "alice"), op.Query, variables).ok()
		if nothing.MatchString(a.text) || strings.Contains(a.text, `"userErrors":[{`) {
			t.Errorf("%s answers %s", op.Name, a.text)
		}
	}
	s.as("", `query($id: ID!) { post(id: $id) { id } }`, `{"id": "`+own+`"}`).ok().want("data.post", "null")
	s.as("alice", `{ viewer { username } }`, "").ok().want("data.viewer.username", "alice_the_author")
}
