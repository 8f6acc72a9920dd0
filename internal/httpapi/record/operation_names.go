package record

import (
	"cmp"
	"strings"
	"sync"
)

// OperationUnknown is the type of an operation that was not found out, for the
// request was refused before.
const OperationUnknown = "unknown"

// operationOther is the name of operations whose own are not counted.
const operationOther = "other"

// operationNames bounds how many series of a metric the names that clients choose
// can make: the first ones have theirs, for as long as the process runs.
type operationNames struct {
	most int

	mu    sync.Mutex
	known map[operationName]string // the name, by itself: a client's is a part of its document
}

type operationName struct{ operation, name string }

func newOperationNames(most int) *operationNames {
	return &operationNames{most: most, known: map[operationName]string{}}
}

// label returns the name under which an operation is counted: its own, "anonymous"
// without one, "other" for one that is too many or too long, and "unknown" where no
// operation was found out.
func (n *operationNames) label(operation, name string) string {
	switch {
	case operation == OperationUnknown:
		return OperationUnknown
	case name == "":
		return "anonymous"
	case len(name) > shownName:
		return operationOther
	default:
		return n.own(operationName{operation, name})
	}
}

// own returns the label of a name that is not too long.
func (n *operationNames) own(name operationName) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	own, known := n.known[name]
	if !known && len(n.known) < n.most {
		own = strings.Clone(name.name)
		n.known[operationName{name.operation, own}] = own
	}
	return cmp.Or(own, operationOther)
}
