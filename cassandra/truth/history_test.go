package truth

import (
	"slices"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

func commandNo(n byte) blog.CommandID { return blog.CommandID{UUID: blog.UUID{15: n}} }

// As many edits are remembered as are kept, the newest first; of one that is not among them it is
// known whether enough are to tell.
func TestHistory(t *testing.T) {
	var h History
	for n := range byte(keptCommands + 3) {
		h = History{Last: commandNo(n + 1), Recent: h.With(commandNo(n + 1))}
	}
	newest, oldest := commandNo(keptCommands+3), commandNo(4)
	if len(h.Recent) != keptCommands || h.Recent[0] != cql.ID(newest.UUID) || h.Recent[keptCommands-1] != cql.ID(oldest.UUID) {
		t.Errorf("it remembers %v", h.Recent)
	}
	for command, want := range map[blog.CommandID]bool{newest: true, oldest: true, commandNo(3): false} {
		if h.Has(command) != want {
			t.Errorf("%v is in it: %v", command, !want)
		}
	}
	if n := h.Since(oldest); n != keptCommands-1 {
		t.Errorf("%d edits followed the oldest", n)
	}
	if !h.tellsSince(1, 1+keptCommands) || h.tellsSince(1, 2+keptCommands) {
		t.Error("it tells of other versions than it remembers")
	}
	if made := (History{Last: newest}); !made.Has(newest) {
		t.Error("a creation is not in it")
	}
}

// What became of an edit is told by what the truth remembers, and never guessed.
func TestEditIn(t *testing.T) {
	mine, other := commandNo(1), commandNo(2)
	remembers := func(commands ...blog.CommandID) (h History) {
		for _, c := range slices.Backward(commands) {
			h = History{Last: c, Recent: h.With(c)}
		}
		return h
	}
	for name, c := range map[string]struct {
		lost    int // the version that an attempt whose answer was lost went by; 0: none
		by      History
		version int
		in      bool
		err     error
	}{
		"refused for certain":            {0, remembers(other), 5, false, nil},
		"lost, and applied":              {4, remembers(mine), 5, true, nil},
		"lost, applied, and edited on":   {4, remembers(other, mine), 6, true, nil},
		"lost, and not applied":          {4, remembers(other), 5, false, nil},
		"lost, and followed by too many": {4, remembers(other), 5 + keptCommands, false, ErrUnknown},
		"lost, and the truth as it was":  {4, History{Recent: []gocql.UUID{}}, 4, false, nil},
	} {
		e := Edit{Command: mine}
		if c.lost > 0 {
			e.Lost(c.lost)
			e.Lost(c.lost + 1) // the first one counts
		}
		in, err := e.In(c.by, c.version)
		if in != c.in || err != c.err || e.Unsure() != (c.lost > 0) {
			t.Errorf("%s: in %v, %v", name, in, err)
		}
	}
}
