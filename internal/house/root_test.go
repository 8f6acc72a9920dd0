package house

import (
	"os"
	"regexp"
	"testing"
)

// What nothing outside may import is below internal.
func TestTheRootHasFewFolders(t *testing.T) {
	const most = 14
	entries, err := os.ReadDir(at("."))
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, entry := range entries {
		if name := entry.Name(); entry.IsDir() && name[0] != '.' && name != "data" {
			folders = append(folders, name)
		}
	}
	if len(folders) > most {
		t.Errorf("%d folders stand at the top, of at most %d: %v", len(folders), most, folders)
	}
}

// A newcomer's first ls is the map: at the top stands main alone.
func TestTheRootHoldsMainAlone(t *testing.T) {
	found, err := glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if file != "server.go" {
			t.Errorf("%s stands at the top: a command goes to internal/program, a test that runs the program to internal/e2e, one of the repository to internal/house", file)
		}
	}
}

// What the Makefile names of the module is there.
func TestTheMakefileNamesFoldersThatExist(t *testing.T) {
	for _, named := range regexp.MustCompile(`\./([a-z0-9_/]+[a-z0-9_])`).FindAllStringSubmatch(text(t, "Makefile"), -1) {
		if !exists(named[1]) {
			t.Errorf("Makefile names ./%s, which is not there", named[1])
		}
	}
}
