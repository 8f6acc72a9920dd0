package counted

import (
	"cmp"
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// Change is one command's change of a partition.
type Change[R any] struct {
	Row   blog.UUID  // the key of the row that it changes
	Fresh bool       // no other change can have written the row
	Delta int        // rows added
	Field string     // that is to blame where the partition is full; none: "postId"
	Bytes func() int // of content that the next attempt adds; nil: none
	Floor int64      // the new stamp is above it
	Seen  Header     // of the partition, as the command read it or later

	// Entries returns what goes with the new header, in the same batch; what the header says is stored is as of this
	// change. Each is conditional on its row's own state, so a repetition of a command that was applied is refused and
	// not counted twice.
	Entries func(next Header) []cql.Bound

	// Before, where it is not nil, is called after the header was read and before each attempt under it. It returns
	// what the command must do before that attempt, nil: nothing. An error of that ends the command.
	Before func(now Header) func(ctx context.Context) error

	// Reread is told what the command's own row holds now, as the serial consistency has it, and reports whether the
	// change exists. It refreshes what Entries goes by. Its error ends the command. Where maybe is false no attempt of
	// this command can have been applied: what exists is of another's making. It may be told several times after one
	// attempt, and goes by what it was told last.
	Reread func(row R, maybe bool) (exists bool, err error)
}

type pending[R any] struct {
	Change[R]
	ctx     context.Context
	size    int    // of its entries, in bytes
	maybe   bool   // an attempt may have been applied although it seemed not
	alone   bool   // has a batch of its own
	own     Header // as of this change, if the attempt under way is applied
	blamed  int    // attempts in a row that some row refused, though no other server was faster
	stopped error  // by what its command must do before the attempt under way
	answer  chan answer
}

type answer struct {
	Outcome
	err error
}

// reply tells a change's command what became of it. Only the first reply counts.
func (m *pending[R]) reply(o Outcome, err error) {
	select {
	case m.answer <- answer{o, err}:
	default:
	}
}

// adds reports whether the change needs room.
func (m *pending[R]) adds() bool { return m.Delta > 0 || m.Bytes != nil && m.Bytes() > 0 }

// needsLook reports whether the row has to be read after a refusal: not one that no other change writes, and no
// attempt of its own may have written.
func (m *pending[R]) needsLook() bool { return m.maybe || !m.Fresh }

// fits returns a header with the change added, or the refusal where it adds to a partition that is full.
func (m *pending[R]) fits(c Config, before Header) (next Header, err error) {
	next = before
	next.Rows += m.Delta
	added := m.Delta
	if c.Sized {
		added = max(m.Delta, 0)
	}
	next.Stored = before.Size() + added
	if m.Bytes != nil {
		next.Bytes = max(before.Bytes+m.Bytes(), 0)
	}
	if m.adds() {
		err = c.Full(cmp.Or(m.Field, "postId"), next.Size(), next.Bytes)
	}
	return next, err
}
