package e2e

import (
	"regexp"
	"strings"
	"testing"

	"broadsheet/httpapi/playground"
)

// nothing is a response whose root field is null.
var nothing = regexp.MustCompile(`^\{"data":\{"\w+":null`)

// Every tab of the playground works as a first visitor finds it, with its ids pasted
// in as it says.
func TestPlaygroundOperations(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir()).ready()
	id := s.as("alice", playground.Operations()[0].Query, "").ok().at("data.feed.edges.0.node.id")
	paste := strings.NewReplacer("an id from the Feed tab", id)
	own := ""
	for _, op := range playground.Operations() {
		subject := "alice"
		if op.Name == "CreateUser" {
			subject = "dana" // as its comment says
		}
		if op.Name == "Delete" {
			paste = strings.NewReplacer("the id of a post of yours", own)
		}
		variables := paste.Replace(string(op.Variables))
		if strings.Contains(variables, "an id") || strings.Contains(variables, "the id") {
			t.Fatalf("%s: no id to put into %s", op.Name, variables)
		}
		a := s.as(subject, op.Query, variables).ok()
		if nothing.MatchString(a.text) {
			t.Errorf("%s answers with null: %s", op.Name, a.text)
		}
		if op.Name == "Write" {
			own = a.at("data.createPost.post.id")
		}
	}
	s.as("", `query($id: ID!) { post(id: $id) { id } }`, `{"id": "`+own+`"}`).ok().want("data.post", "null")
	s.as("alice", `{ viewer { username } }`, "").ok().want("data.viewer.username", "alice_the_author")
}
