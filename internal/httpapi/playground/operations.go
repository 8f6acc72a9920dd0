package playground

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed operations
var operationFiles embed.FS

// Operation is one of the page's saved requests, a tab on a first visit.
type Operation struct {
	Name      string          // the operation's name in Query: GraphiQL labels the tab with it
	Title     string          // what it does, in words: Query's first line
	Query     string          // one operation, with its comments
	Variables json.RawMessage // an object; nil when Query has none
	Subject   string          // whose request it is under dev auth; empty: the page's own subject's
}

var operations = sync.OnceValue(func() []Operation {
	names, err := fs.Glob(operationFiles, "operations/*.graphql") // sorted by name
	if err != nil {
		panic(err)
	}
	all := make([]Operation, 0, len(names))
	for _, name := range names {
		op, err := readOperation(name)
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		all = append(all, op)
	}
	return all
})

// Operations returns the saved operations in the order of their tabs, which is that of their file names.
//
// Every variable has a value. Where a request needs an id or a name, which only a running server knows,
// the value is a sentence that says where to find one; the page puts one in its place
// that the server has. None takes away what another one needs, so they can be played in any order.
func Operations() []Operation {
	return append([]Operation(nil), operations()...)
}

var namedOperation = regexp.MustCompile(`(?m)^(?:query|mutation|subscription) (\w+)`)

func readOperation(name string) (Operation, error) {
	query, err := operationFiles.ReadFile(name)
	if err != nil {
		return Operation{}, err
	}
	first, _, _ := strings.Cut(string(query), "\n")
	title, ok := strings.CutPrefix(first, "# ")
	if !ok {
		return Operation{}, fmt.Errorf("the first line is no comment")
	}
	named := namedOperation.FindAllSubmatch(query, -1)
	if len(named) != 1 {
		return Operation{}, fmt.Errorf("%d named operations, not one", len(named))
	}
	op := Operation{Name: string(named[0][1]), Title: title, Query: string(query)}

	// Absent: the operation has no variables, or no subject of its own. The embedded files have no other way to fail.
	variables, err := operationFiles.ReadFile(strings.TrimSuffix(name, path.Ext(name)) + ".json")
	if err == nil {
		op.Variables = variables
	}
	subject, err := operationFiles.ReadFile(strings.TrimSuffix(name, path.Ext(name)) + ".subject")
	if err == nil {
		op.Subject = strings.TrimSpace(string(subject))
	}
	return op, nil
}
