package house

import "testing"

// A newcomer's first ls is the map: at the top stands main alone.
func TestTheRootHoldsMainAlone(t *testing.T) {
	found, err := glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if file != "server.go" {
			t.Errorf("%s stands at the top: a command goes to program, a test that runs the program to e2e, one of the repository to internal/house", file)
		}
	}
}
