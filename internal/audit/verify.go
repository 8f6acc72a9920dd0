package audit

import (
	"context"
	"errors"

	"broadsheet/blog"
)

// Store is one that [Verifying] can check and mend.
type Store interface {
	// Audit begins to read the whole store, in about so many parts that can be
	// read at once. The reader is closed by its caller.
	Audit(ctx context.Context, parts int) (Reader, error)

	// Repair mends what a drift names, from the truth as it is now. An error of
	// kind Invalid says why it can't be mended.
	Repair(ctx context.Context, d Drift) error
}

// Reader reads a whole store, truths and copies. Its methods may be called concurrently. One that visits a part does so
// in any order, unless it says otherwise, and stops at visit's first error.
type Reader interface {
	// Truths are read as copies are: cheaply, while commands run.
	Truths
	// Certain reads truths so that of a commit which is seen once no later reading
	// sees less.
	Certain() Truths

	// Parts is how many parts there are: every part of 0 to Parts-1 has to be read.
	Parts() int

	// Holds reports whether the store keeps all of the table's rows: one whose key changes may be about to be filled, or be
	// written no more.
	Holds(table blog.Table) bool

	// EachRow visits the rows of a table as they stand, partition by partition.
	EachRow(ctx context.Context, table blog.Table, part int, visit func(Row) error) error

	// Row reads one row by its key, or what stands above the rows of a partition by its key. An absent row has no cells.
	Row(ctx context.Context, table blog.Table, key []any) (Row, error)

	// Tally counts the rows of a post's comments, or of its reactions of a kind, while nothing changes them.
	Tally(ctx context.Context, table blog.Table, parent blog.UUID) (Tally, error)

	// EachTruth visits every row of a table of truths as it is, those of what is deleted too: UsersByID,
	// PostsByID, CommentsByPost, the claims of reactions and of [blog.UniqueKeys]. Usernames and counts, where they
	// are copies, are not filled in; the contents of posts may be absent unless whole. Comments and reactions come
	// one post after the other, below the head of the post's.
	EachTruth(ctx context.Context, table blog.Table, part int, whole bool, visit func(TruthRow) error) error

	// Unhomed returns which of the newest posts of one who is followed its user's home lacks, and how many it has.
	Unhomed(ctx context.Context, follow blog.Reaction, newest int) (has int, lacking []blog.PostID, err error)

	// Listed returns the users that the copies under a unique key name.
	Listed(ctx context.Context, k *blog.UniqueKey, key string) ([]blog.UserID, error)

	// Unfinished returns what unfinished commands name: any other has ended, or had not begun when it was called.
	Unfinished(ctx context.Context) (Unfinished, error)

	Close() error
}

// Truths reads truths by their keys. What is absent is zero.
type Truths interface {
	// True reads a row of a table of truths as it is, with the head above it. An absent row has no key.
	True(ctx context.Context, table blog.Table, key ...any) (TruthRow, error)
	// Counts reads the counts, each a truth of its own, of what tables have below a parent.
	Counts(ctx context.Context, parent blog.UUID, counted ...blog.Table) ([]blog.Count, error)
}

// Fate is what the tables of truths know of something.
type Fate int

const (
	// Unknown: there is no row. It never existed, or its truth is lost, and may be restored from other rows.
	Unknown Fate = iota
	// Standing: it has a row that is not an end, though maybe a damaged one.
	Standing
	// Ended: a row says that it was deleted, taken back, or never finished.
	Ended
	// Erased: a user's account existed and was erased.
	Erased
)

// FeedIndex is a [Reader] of a store that keeps an index of the feed's buckets.
type FeedIndex interface {
	// Indexed reports whether the index names a post's bucket.
	Indexed(ctx context.Context, place blog.FeedPlace) (bool, error)
	// EachBucket visits the index. fault says what is wrong with an entry.
	EachBucket(ctx context.Context, visit func(key []any, fault string) error) error
}

// GapReader is a [Reader] of a store that records runs of dead rows in lists, which readers
// skip: [blog.Gaps].
type GapReader interface {
	// EachGap visits every such run, with the keys of the live rows that it hides: the list, its partition, the row.
	EachGap(ctx context.Context, part int, visit func(hidden [][]any) error) error
	// Hides reports whether a row is live and hidden.
	Hides(ctx context.Context, key []any) (bool, error)
}

// Row is a row of a table with copies.
type Row struct {
	Key []any // that of the partition, where there is only what stands above its rows
	// Cells are the families of which something stands, those above the rows among the cells of each.
	Cells   []blog.Copy
	Below   bool   // read by the key of a partition: it has rows
	Leaving bool   // of a deleted post: its copies mean nothing any more
	Dead    bool   // it was deleted, and stays: of its own cells none stands
	Damaged string // what makes it unreadable
}

// Tally is a post's number of comments or reactions, and the rows behind it.
type Tally struct {
	Count  blog.Count
	Rows   int  // that count
	Strays int  // that don't
	Closed bool // the post was deleted
	Moving bool // something changed them all the while
}

// Unfinished are the users and parents that unfinished commands name: what follows from them may lag, or be ahead.
type Unfinished struct {
	Users   map[blog.UserID]bool
	Parents map[blog.UUID]bool // posts, and users as ones who are followed
}

// DriftKind names what is wrong.
type DriftKind string

// The kinds of drift.
const (
	WrongCount   DriftKind = "wrong count"   // a count is not the number of rows, or a copy of it is not the count
	StaleValue   DriftKind = "stale value"   // cells hold something else than their truth
	MissingRow   DriftKind = "missing row"   // a row that a truth asks for is not there
	MissingCells DriftKind = "missing cells" // the row is there but lacks some of its cells
	RowTooMany   DriftKind = "row too many"  // a row follows from no truth
	Ghost        DriftKind = "ghost"         // cells without their row, which readers skip
	Orphan       DriftKind = "orphan"        // comments or reactions of a post that is gone
	HiddenRow    DriftKind = "hidden row"    // a row stands where readers take all rows for dead
	Damaged      DriftKind = "damaged"       // what stands there can't be read

	LostTruth     DriftKind = "lost truth"    // what this follows from is lost, or can't be right: a repair keeps it
	Contradiction DriftKind = "contradiction" // a truth's own cells can't all be right
	TwoOwners     DriftKind = "two owners"    // of one username, e-mail address or subject
	LeftErasure   DriftKind = "left erasure"  // of an account: nothing goes on with it, or what it wrote was not met
)

// Drift is one row, or one count, that is not as its truth says.
type Drift struct {
	Table   blog.Table
	Kind    DriftKind
	Row     string // the key, for people
	Problem string
	Left    string // why a repair left it

	Key  []any       `json:"-"` // of a row, or of a partition for what stands above its rows
	Post blog.PostID `json:"-"` // of a comment whose row's key doesn't name it

	// Deletes is how many rows the repair deletes: the row, or those below a deleted post.
	// 0: it writes, and must not delete.
	Deletes int
}

// TableReport is what [Verifying] found in one table.
type TableReport struct {
	Table    blog.Table
	Rows     int  // that were read
	Drifted  int  // that are not as their truth says
	InFlight int  // that differ, but a command that touches them has not ended
	Repaired int  // of those drifted
	Deleted  int  // rows, by the repair
	CutOff   bool // before it was done
	Kinds    map[DriftKind]int
	Examples []Drift // the first few
}

// Left returns how many drifted rows were not repaired.
func (r TableReport) Left() int { return r.Drifted - r.Repaired }

// Verified is the outcome of [Verifying.Run].
type Verified struct {
	Tables []TableReport
}

// Drifted returns the number of disagreements in all tables.
func (v Verified) Drifted() int { return v.sum(func(t TableReport) int { return t.Drifted }) }

// InFlight returns the number of rows that a command may still change.
func (v Verified) InFlight() int { return v.sum(func(t TableReport) int { return t.InFlight }) }

// Repaired returns the number of disagreements that are mended.
func (v Verified) Repaired() int { return v.sum(func(t TableReport) int { return t.Repaired }) }

// Left returns the number of disagreements that were not repaired.
func (v Verified) Left() int { return v.Drifted() - v.Repaired() }

func (v Verified) sum(of func(TableReport) int) (n int) {
	for _, t := range v.Tables {
		n += of(t)
	}
	return n
}

// Verifying is how a store is audited while commands run. Its zero value looks and mends nothing.
type Verifying struct {
	Repair      bool                             // mend what has drifted
	Force       bool                             // delete however much, and copies whose truth is lost
	Patient     bool                             // look at rows with a wrong name until the rename that changes them has ended, for ten minutes
	Tables      []blog.Table                     // nil: all
	Concurrency int                              // parts that are read at once; 0: 4
	Rate        int                              // rows that are read in a second, at most; 0: no limit
	Report      func(TableReport)                // is called once for each table, as it is done; nil: nothing is
	Note        func(Drift)                      // is called for each row that is mended, as it is; nil: nothing is
	Mended      []Drift                          // of Tables, noted by an earlier run that was cut off: the report counts them too
	Plan        func([]Deletion)                 // is given what is about to be deleted, before anything is
	Progress    interface{ Add(rows int) error } // is given how many rows were read, from many goroutines; nil: nothing is

	built   blog.Table // is compared, though the store does not hold all of it yet
	lacking blog.Table // may hold what an older program has deleted elsewhere
}

const (
	usualConcurrency = 4
	maxExamples      = 10
)

// Run verifies. After an error the outcome is what was done until then; another run repairs the rest. A copy has another
// partition than its truth, so it goes by tables, those that follow from one kind of truths at a time, and not by ranges
// of tokens. It reads whole tables twice if something differs, and holds a bounded number of rows and keys in memory:
//
//	pass 1   every copy that a truth asks for is added to a sum, every copy that is there is subtracted; there are
//	         65,536 sums for each table, by the row's key. If all is well each ends at 0. Truths are judged by
//	         themselves, and counts are compared with their rows.
//	pass 2   each row whose sum is not 0 is suspect, and is looked at by itself, claims after all others.
//	pass 3   if claims are held by users that no truth knows: whether any row names them. If none does, the claim was
//	         leaked, else the user is lost.
//
// A suspect is read by its key, the truth first. If the row differs, the unfinished commands are read, and then the
// truth, for certain, and the row once more. Any other command had ended, so that its copies are in the second reading,
// or had not begun at the first. So if the truth is the same in both, and no unfinished command names it, the row has
// drifted. A repair writes at once, and deletes at the end, when it is known how much that is: see [Deletion].
func (o Verifying) Run(ctx context.Context, a Store) (Verified, error) {
	if o.Concurrency < 1 {
		o.Concurrency = usualConcurrency
	}
	reader, err := a.Audit(ctx, 2*o.Concurrency)
	if err != nil {
		return Verified{}, err
	}
	v := newVerification(o, a, reader)
	err = errors.Join(v.run(ctx), reader.Close())
	return v.result(err != nil), err
}
