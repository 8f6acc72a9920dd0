package truth

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Reaction is a user's claim that it reacts to a parent, with the commands that gave it and took it back. One that was
// never made has no time.
type Reaction struct {
	Stands bool
	At     time.Time
	By     History
}

// Made reports whether there is a claim.
func (t Reaction) Made() bool { return !t.At.IsZero() }

func (t *Reaction) columns(above *counted.Header) []any {
	return []any{&t.Stands, &t.At, &t.By.Recent, &above.Rows, &above.Version, &above.Stamp, &above.Closed}
}

// Reactions are those of a kind, which are counted by their parents.
type Reactions struct {
	*counted.Partitions[blog.UUID, Reaction]
	rows countedTable[Reaction, *Reaction]
	met  *lru.Cache[blog.ReactionKey, struct{}] // claims that commands of this process were about
}

func newReactions(c Config, of *blog.ReactionKind, limit *counted.Limit) *Reactions {
	partitions, rows := counting[Reaction](c, of.Table, false, of.Full, limit)
	met, _ := lru.New[blog.ReactionKey, struct{}](maxKnown) // fails for a size below 1 only
	return &Reactions{partitions, rows, met}
}

// ReadMet returns how to read a claim, with the header that comes with one that was made; or nil where the claim is to
// be given and this process has not met it. Then there is none, nearly always: one that is there refuses the change,
// and is read.
func (s *Reactions) ReadMet(ctx context.Context, key blog.ReactionKey, given bool, t *Reaction, above *counted.Header) (read func() error) {
	if met, _ := s.met.ContainsOrAdd(key, struct{}{}); given && !met {
		return nil
	}
	return func() (err error) { *t, *above, err = s.Read(ctx, key); return err }
}

// Read reads a claim with the header of its parent's, which comes with a claim that was made.
func (s *Reactions) Read(ctx context.Context, key blog.ReactionKey) (t Reaction, above counted.Header, err error) {
	t, above, err = s.rows.row(ctx, s.rows.db.One, key.To, key.User.UUID)
	return t, above, cql.AbsentIsZero(err)
}

// ReadSerial is Read at the serial consistency, always with a header.
func (s *Reactions) ReadSerial(ctx context.Context, key blog.ReactionKey) (t Reaction, above counted.Header, err error) {
	return s.rows.rowSerial(ctx, key.To, key.User.UUID)
}

// Stands reports whether a user's reaction stands, to a parent that is there.
func (s *Reactions) Stands(ctx context.Context, key blog.ReactionKey) (bool, error) {
	t, above, err := s.ReadSerial(ctx, key)
	return t.Stands && !above.Closed, err
}
