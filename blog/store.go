package blog

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"time"
)

// Store keeps a blog. It is safe for concurrent use.
type Store interface {
	Commands
	Operations
	Queries

	// Changes returns the change feed.
	Changes() Changes

	// Ready returns nil while the store can answer; else [Unavailable] with the reason.
	Ready(ctx context.Context) error

	// Writable returns nil while commands are carried out; else [Unavailable] with the reason, as on a full disk.
	Writable(ctx context.Context) error

	// Empty reports whether the store holds no user and no post.
	Empty(ctx context.Context) (bool, error)

	// Noted returns what was noted last; empty where nothing was.
	Noted(ctx context.Context, about Note) (string, error)

	// Note notes a text, where another one was noted last. [Unavailable]: it was noted otherwise meanwhile.
	Note(ctx context.Context, about Note, was, text string) error

	// Maintain finishes, until ctx ends, what commands left half done whose process died. Each server calls it
	// once; any number of servers may run at once.
	Maintain(ctx context.Context)

	// Upkeep returns how the store's own work goes. It reads memory only.
	Upkeep() Upkeep

	// Settle waits until the work that commands left to the background (the copies of a renamed user, the rows
	// below a deleted post) is done, as far as this process does it.
	Settle(ctx context.Context) error

	// Close settles within a bound of its own, then releases what the store holds. No method may be called after it.
	Close() error
}

// Note is one of the texts that are noted in a store for later servers.
type Note string

// The notes.
const (
	Authentication Note = "authentication" // which tokens the store was served with
	Verified       Note = "verified"       // when verify last found all well, in RFC 3339
	Issuer         Note = "issuer"         // the first issuer of such tokens, whose subjects have no issuer in accounts
)

// TimeOf returns the time that is noted, the beginning of Unix time where none is.
func TimeOf(noted string) time.Time {
	at, err := time.Parse(time.RFC3339, noted)
	if err != nil {
		return time.Unix(0, 0)
	}
	return at
}

// Options are what every store is given by the program.
type Options struct {
	Clock    Clock    // nil: the machine's
	IDs      *IDs     // nil: from Clock and the system's random source
	Observer Observer // nil: none

	KeepChanges time.Duration // for how long the change feed keeps a change; 0: [KeepChanges]
}

// WithDefaults fills in the clock, and ids that log each time they follow it back.
func (o Options) WithDefaults(log *slog.Logger) Options {
	o.Clock = cmp.Or[Clock](o.Clock, SystemClock{})
	if o.IDs == nil {
		o.IDs = NewIDs(o.Clock, rand.Reader)
		o.IDs.OnStepBack(func(by time.Duration) {
			log.Warn("the clock was set back; what is made from now on is dated by it", "by", by)
		})
	}
	return o
}

// AccountAge is for how long a server answers by what it has read of an account. An edit of an account in a store that
// several servers use returns when it is over on each.
const AccountAge = time.Second

// Observer is told of each statement that a store makes, as it ends.
type Observer interface {
	Statement(ctx context.Context, s Statement)
}

// StatementKind classifies a statement by its cost.
type StatementKind string

const (
	Read        StatementKind = "read"        // rows of one partition
	Write       StatementKind = "write"       // rows of one or more partitions, unconditional
	Conditional StatementKind = "conditional" // a compare-and-set in one partition
)

// Statement is one request to the database: in Cassandra a statement or a batch,
// in the embedded store a read of one partition or an atomic commit.
type Statement struct {
	Table      Table // that it touches; of several, the first
	Kind       StatementKind
	Partitions int         // distinct ones, of all its tables
	Rows       int         // read or written, of all its tables; 0 where it is conditional and was refused
	Tables     []TableCost // what it touches of each, where there are several; nil: Table alone
	Duration   time.Duration
	Err        error // an [Error] of the kind that its caller is told; nil also where it found nothing

	// Share says that this is one command's part of a batch that several made together: it tells what a command
	// costs, and is no further request. The batch is told by itself, under the context of none of them.
	Share bool
}

// TableCost is what a statement touches of one table.
type TableCost struct {
	Table      Table
	Partitions int // distinct ones
	Rows       int // read or written
}

// Touching returns a statement that touches so much of some tables, each of which is named once. It keeps them.
func Touching(kind StatementKind, tables []TableCost, err error) Statement {
	s := Statement{Kind: kind, Err: err}
	for i, of := range tables {
		if i == 0 {
			s.Table = of.Table
		}
		s.Partitions += of.Partitions
		s.Rows += of.Rows
	}
	if len(tables) > 1 {
		s.Tables = tables
	}
	return s
}

// ByTable returns what the statement touches of each of its tables.
func (s *Statement) ByTable() []TableCost {
	if s.Tables != nil {
		return s.Tables
	}
	return []TableCost{{s.Table, s.Partitions, s.Rows}}
}
