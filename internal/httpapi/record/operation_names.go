package record

import (
	"cmp"
	"strings"
	"sync"
)

// OperationUnknown is the type of an operation whose request was refused before it was found out.
const OperationUnknown = "unknown"

// operationOther is the name of operations whose own are not counted.
const operationOther = "other"

// operationNames bounds how many series of a metric the names that clients choose can make: the first ones have theirs.
type operationNames struct {
	most int

	mu    sync.Mutex
	known map[[2]string]string // by type and name; the name, by itself: a client's is a part of its document
}

// label returns the name under which an operation is counted: its own, "anonymous" without one, "other" for one that is
// too many or too long, and "unknown" where no operation was found out.
func (n *operationNames) label(operation, name string) string {
	switch {
	case operation == OperationUnknown:
		return OperationUnknown
	case name == "":
		return "anonymous"
	case len(name) > shownName:
		return operationOther
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	own, known := n.known[[2]string{operation, name}]
	if !known && len(n.known) < n.most {
		own = strings.Clone(name)
		n.known[[2]string{operation, own}] = own
	}
	return cmp.Or(own, operationOther)
}
