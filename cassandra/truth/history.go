package truth

import (
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// History says which commands changed a truth last. An edit whose answer was lost, and
// that others followed, is found in it or was not applied:
//
//	version 4        5         6         7
//	        └ edit A ┘ edit B ─┘ edit C ─┘     recent = C, B, A
//	          answer lost; version 7 is past A's guard, and A is listed: it was applied
type History struct {
	Last   blog.CommandID // of the last change, the creation included
	Recent []gocql.UUID   // edits, newest first; as many as are kept
}

// keptCommands is how many edits a truth remembers: as many may follow one whose answer was lost, within the deadline
// of a command, before its outcome can't be told.
const keptCommands = 16

// ErrUnknown is the outcome of an edit that was followed by more than are kept.
var ErrUnknown = blog.Errorf(blog.Timeout, "whether the edit was applied is not known: fetch the object and decide again")

// Has reports whether a command is known to have changed the truth.
func (h History) Has(command blog.CommandID) bool {
	return h.Last == command || slices.Contains(h.Recent, cql.ID(command.UUID))
}

// Since returns how many edits followed that of a command which is among the recent.
func (h History) Since(command blog.CommandID) int {
	return max(slices.Index(h.Recent, cql.ID(command.UUID)), 0)
}

// With returns what the truth remembers after one more edit.
func (h History) With(command blog.CommandID) []gocql.UUID {
	kept := h.Recent[:min(len(h.Recent), keptCommands-1)]
	return append([]gocql.UUID{cql.ID(command.UUID)}, kept...)
}

// Forgets returns the command that the truth remembers no more after one more edit; none where it has room.
func (h History) Forgets() (oldest blog.CommandID) {
	if len(h.Recent) >= keptCommands {
		oldest.UUID = blog.UUID(h.Recent[len(h.Recent)-1])
	}
	return oldest
}

// tellsSince reports whether every edit since a version is remembered.
func (h History) tellsSince(version, now int) bool { return now-version <= keptCommands }
