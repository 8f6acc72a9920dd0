package truth

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// Reaction is a user's claim that it reacts to a post, with the commands that gave it and took it back. One
// that was never made has no time.
type Reaction struct {
	Stands bool
	At     time.Time
	By     History
}

// Made reports whether there is a claim.
func (t Reaction) Made() bool { return !t.At.IsZero() }

// columns returns where a statement puts a claim with the header of its partition.
func (t *Reaction) columns(above *counted.Header) []any {
	return []any{&t.Stands, &t.At, &t.By.Recent, &above.Rows, &above.Version, &above.Stamp, &above.Closed}
}

// Reactions are posts' reactions of a kind, which are counted.
type Reactions struct {
	*counted.Partitions[blog.PostID, Reaction]
	db         *cql.Session
	statements tables.ReactionStatements
}

// NewReactions returns the reactions that a table counts.
func NewReactions(c Config, of *blog.ReactionKind, limit *counted.Limit, table counted.Table[blog.PostID, Reaction]) *Reactions {
	return &Reactions{counted.New(c.counted(of.Claims, of.Full, limit), table), c.DB, tables.Reactions[of]}
}

// Read reads a claim with the header of its post's, which comes with a claim that was made.
func (s *Reactions) Read(ctx context.Context, key blog.ReactionKey) (t Reaction, above counted.Header, err error) {
	err = s.db.One(ctx, s.statements.Claim.With(cql.ID(key.Post.UUID), cql.ID(key.User.UUID)), t.columns(&above)...)
	t.At = t.At.UTC()
	return t, above, cql.AbsentIsZero(err)
}

// ReadSerial is Read at the serial consistency, always with a header.
func (s *Reactions) ReadSerial(ctx context.Context, key blog.ReactionKey) (t Reaction, above counted.Header, err error) {
	err = s.db.OneSerial(ctx, s.statements.Claim.With(cql.ID(key.Post.UUID), cql.ID(key.User.UUID)), t.columns(&above)...)
	t.At = t.At.UTC()
	if err == cql.ErrAbsent {
		above, err = s.HeaderSerial(ctx, key.Post)
	}
	return t, above, err
}

// Stands reports whether a user's reaction stands, to a post that is there.
func (s *Reactions) Stands(ctx context.Context, key blog.ReactionKey) (bool, error) {
	t, above, err := s.ReadSerial(ctx, key)
	return t.Stands && !above.Closed, err
}

// scanReaction reads a claim with the header above it.
func scanReaction(row gocql.Scanner) (blog.UUID, Reaction, counted.Header, error) {
	var user blog.UUID
	var t Reaction
	var above counted.Header
	err := row.Scan(append([]any{cql.Into(&user)}, t.columns(&above)...)...)
	t.At = t.At.UTC()
	return user, t, above, err
}

// ReactionTable is where posts' reactions of a kind are counted.
func ReactionTable(db *cql.Session, of *blog.ReactionKind) *counted.Statements[blog.PostID, Reaction] {
	s := tables.Reactions[of]
	return &counted.Statements[blog.PostID, Reaction]{
		DB: db, Key: postKey, Span: [2]gocql.UUID{cql.FirstID, cql.LastID}, Scan: scanReaction,
		Select: s.Header, Update: s.Update, Close: s.Close, Clear: s.Clear, Delete: s.Delete, Rows: s.Rows,
	}
}
