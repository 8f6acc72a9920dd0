package httpapi

import "sync"

// operationUnknown is the type of an operation that was not found out, for the
// request was refused before.
const operationUnknown = "unknown"

// operationNames bounds how many series of a metric the names that clients choose
// can make: the first ones have theirs, for as long as the process runs.
type operationNames struct {
	most int

	mu    sync.RWMutex
	known map[operationName]bool
}

type operationName struct{ operation, name string }

func newOperationNames(most int) *operationNames {
	return &operationNames{most: most, known: map[operationName]bool{}}
}

// label returns the name under which an operation is counted: its own, "anonymous"
// without one, "other" for one that is too many or too long, and "unknown" where no
// operation was found out.
func (n *operationNames) label(operation, name string) string {
	switch {
	case operation == operationUnknown:
		return operationUnknown
	case name == "":
		return "anonymous"
	case len(name) <= shownName && n.has(operationName{operation, name}):
		return name
	default:
		return "other"
	}
}

func (n *operationNames) has(name operationName) bool {
	n.mu.RLock()
	known, full := n.known[name], len(n.known) >= n.most
	n.mu.RUnlock()
	if known || full {
		return known
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.known[name] && len(n.known) < n.most {
		n.known[name] = true
	}
	return n.known[name]
}
