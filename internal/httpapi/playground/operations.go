package playground

import (
	"embed"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed operations
var operationFiles embed.FS

// Operation is one of the page's saved requests, a tab on a first visit.
type Operation struct {
	Name      string          // of its file
	Query     string          // one operation, with its comments: the first line says what it does; GraphiQL labels the tab with its name
	Variables json.RawMessage // an object; nil when Query has none
	Subject   string          // whose request it is under dev auth; empty: the page's own subject's
}

// Operations returns the saved operations in the order of their tabs, which is that of their file names.
//
// Every variable has a value: of an id or a name, which only a running server knows, a sentence that says where to find
// one, and the page puts one in its place. None takes away what another one needs, so they can be played in any order.
func Operations() []Operation { return operations() }

var operations = sync.OnceValue(func() (all []Operation) {
	names, err := fs.Glob(operationFiles, "operations/*.graphql") // sorted by name
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		name = strings.TrimSuffix(name, ".graphql")
		read := func(extension string) []byte {
			text, _ := operationFiles.ReadFile(name + extension) // absent: the operation has no variables, or no subject of its own
			return text
		}
		all = append(all, Operation{path.Base(name), string(read(".graphql")), read(".json"), strings.TrimSpace(string(read(".subject")))})
	}
	return all
})
