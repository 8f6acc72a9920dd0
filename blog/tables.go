package blog

import "slices"

// Table is the name of a table, the same in every store.
type Table string

// Declaration is what is said about a table, once: its key, what stands in its rows, and from which truths that
// follows. The stores' statements and keys, what verify compares and rebuild builds, and the README's map follow.
type Declaration struct {
	Table      Table
	Answer            // zero: it answers no query
	Holds      string // a truth, or copies
	Partition  Columns
	Clustering Columns
	About      *Subject  // of its rows; nil: a store's own
	Truth      []*Family // the truth in a row: cells that commands decide by, and that copies follow from
	KeyMoves   bool      // a row's key may change: then all of the row follows from one truth, so that no late write stands at the old key
	Rows       []*Family // of copies, in a row
	Above      []*Family // of copies, once above the rows of a partition
	List       List
	Embedded   Embedded

	// Replaces is the table whose key this one has changed. The embedded store keeps that one, Cassandra either or both: as
	// package move says.
	Replaces Table

	Gone Column // of a truth, beside copies in Cassandra: where it is neither null nor false the row is about to go

	families []*Family
	key      []string // without what is constant
}

// Answer is the query that a table answers.
type Answer struct {
	Query   string // "Q1" … as in the guides that the domain follows
	GraphQL string // the fields that it answers
	Method  string // of [Queries]
}

// List says how the rows of a table are read in pages. Zero: they are not.
type List struct {
	// Cursors are the first bytes of the list's cursors newest first, and oldest first. Clients have them for ever:
	// no other list gets them, not even when this one is gone.
	Cursors string
	Under   int     // so many first clustering columns name the list within its partition
	Above   Columns // what a page reads above the rows, of a truth
}

// Embedded is how the embedded store has a table on disk, for ever: a table that goes leaves its prefix behind.
type Embedded struct {
	Prefix     byte // of all its keys
	Since      int  // the revision of directories that the table came with; 0: it was always there
	Descending bool // every clustering column is descending there: the table is older than ascending ones
}

// Subject is what rows are about, and so which truth says whether they stand. A row finds it by the ids in its key, a
// comment's by the post in the row.
type Subject struct {
	Noun     string             // of one that is a parent
	Table    Table              // of the truths
	Truth    Truth              // that rows about it follow from; empty: they follow from a user
	Parent   *Subject           // what the truths are counted of, in partitions that its id names, and end with; nil: nothing
	Count    func(*Post) *Count // where a post that is the parent has the count
	Reaction *ReactionKind      // which kind of reactions it is; nil: none

	fields interface{ columns(names ...string) row }
}

// ID returns the id of one, as its table has it.
func (s *Subject) ID(id UUID) any { return s.Table.Declaration().Partition[0].Type.ID(id) }

// Truth is a kind of what copies follow from. Each has a stamp of its own.
type Truth string

// The truths. The comments of one post are one truth, and so are its likes, its bookmarks, who follows one user, and one group's members.
const (
	UserTruth     Truth = "user"
	PostTruth     Truth = "post"
	CommentsTruth Truth = "comments"
	LikesTruth    Truth = "likes"

	BookmarksTruth Truth = "bookmarks"
	FollowsTruth   Truth = "follows"
	GroupTruth     Truth = "group"
	MembersTruth   Truth = "members"

	HomeTruth Truth = "home" // none by itself: [Homed]
)

// Family is a column family: columns of one table that follow from one truth and are written together at that truth's
// stamp. No column belongs to two.
//
// The embedded store has a family on disk in the order of Columns, those with a [Column.Since] behind all others: none
// is moved, renamed or taken away. docs/adding.md says how one is added.
type Family struct {
	Truth   Truth // at whose stamp the family is written
	Columns Columns
	Row     bool // the family makes the row: readers skip a row without it. It is deleted with its whole row, other families never by themselves

	// LeavesDead has a deleted row of the family stay in Cassandra, dead and without its texts, for its key never
	// comes back. A tombstone would cost a reader as much, and too many of them the answer; dead rows are values
	// like others, and a run of them is passed in one step. A like or a name takes its old key again: it leaves few.
	LeavesDead bool

	Cell byte // of the embedded store, on disk for ever; those above the rows are counted apart

	// By the declaration:
	Table  Table
	Key    []string // the primary key; above the rows, the partition key
	static bool
	about  *Subject // of the table's rows; of a count above them, their parent
	row    row      // of what it is about, and so is key where no key moves
	key    row
}

// Added is how many of the last columns are younger than the family, and may lack.
func (g *Family) Added() int {
	first := slices.IndexFunc(g.Columns, func(c Column) bool { return c.Since > 0 })
	if first < 0 {
		return 0
	}
	return len(g.Columns) - first
}

// Number is the column that is 0 in a dead row.
func (g *Family) Number() Column {
	edited := g.Columns.Edited()
	return edited[slices.IndexFunc(edited, func(c Column) bool { return c.Type == TypeInt })]
}

// Mandatory is the column without which readers skip a row: in a dead one the first text is empty.
func (g *Family) Mandatory() string {
	if g.LeavesDead {
		return g.Columns[slices.IndexFunc(g.Columns, Column.Text)].Name
	}
	return g.Columns[0].Name
}

// Static reports whether the family stands once above the rows of its partition.
func (g *Family) Static() bool { return g.static }

// Counts reports whether the family is the copy of a count.
func (g *Family) Counts() bool { return g.Columns[0].Type == TypeCount }

// Names reports whether the family is the copy of a user's names.
func (g *Family) Names() bool { return !g.Row && g.Truth == UserTruth }

// Dead is what is 0 in a row of a truth that was deleted and stays; none where no such row does.
func (d *Declaration) Dead() Column {
	if len(d.Truth) > 0 && d.Truth[0].LeavesDead {
		return d.Truth[0].Number()
	}
	return Column{}
}

// Maker is the family that makes the table's rows, of a truth or of copies.
func (d *Declaration) Maker() *Family {
	families := slices.Concat(d.Truth, d.Rows)
	return families[slices.IndexFunc(families, func(g *Family) bool { return g.Row })]
}

// Key returns the columns of the primary key.
func (d *Declaration) Key() Columns { return slices.Concat(d.Partition, d.Clustering) }

// Parent returns the columns that name one of the table's lists.
func (d *Declaration) Parent() Columns {
	return slices.Concat(d.Partition, d.Clustering[:d.List.Under])
}

// Position returns the columns that a list's rows are ordered by.
func (d *Declaration) Position() Columns { return d.Clustering[d.List.Under:] }

// MakesRows reports whether the table's copies make its rows, and don't stand beside a truth.
func (d *Declaration) MakesRows() bool {
	return slices.ContainsFunc(d.Rows, func(g *Family) bool { return g.Row })
}

// Shards is how many partitions a list of the table has, which are read at once.
func (d *Declaration) Shards() int {
	if d.Table == MembersByGroup {
		return MemberShards
	}
	return 1
}

// BelowParent reports whether the table's copies make rows in partitions of their subject's parents, and go with them.
func (d *Declaration) BelowParent() bool {
	return d.MakesRows() && d.About.Parent != nil && d.Partition[0] == d.About.Table.Declaration().Partition[0]
}

// declared is every declaration by its table, of which its families know.
var declared = func() map[Table]*Declaration {
	all := map[Table]*Declaration{}
	for _, d := range Declarations {
		all[d.Table] = d
		d.key = d.Key().Names()
		d.families = slices.Concat(d.Rows, d.Above)
		for _, g := range slices.Concat(d.Truth, d.Rows) {
			g.Table, g.Key = d.Table, d.key
		}
		for _, g := range d.Above {
			g.Table, g.Key, g.static = d.Table, d.Partition.Names(), true
		}
		for _, g := range slices.Concat(d.Truth, d.families) {
			g.Columns = slices.SortedStableFunc(slices.Values(g.Columns), func(a, b Column) int { return a.Since - b.Since })
			if g.about = d.About; g.static && g.Counts() {
				g.about = d.About.Parent
			}
			g.row = g.about.fields.columns(g.Columns.Names()...)
			if !d.KeyMoves {
				g.key = g.about.fields.columns(g.Key...)
			}
		}
	}
	return all
}()

// Declaration returns what is declared about the table; nil where it is none.
func (t Table) Declaration() *Declaration { return declared[t] }

// Families returns the table's families of copies, those of its rows first.
func (t Table) Families() []*Family { return declared[t].families }

// Successor returns the table that replaces this one in Cassandra; empty: none does.
func (t Table) Successor() Table { return successors[t] }

// Moves reports whether the table replaces one, or is replaced.
func (t Table) Moves() bool { return t.Successor() != "" || t.Declaration().Replaces != "" }

var successors = func() map[Table]Table {
	all := map[Table]Table{}
	for _, d := range Declarations {
		if d.Replaces != "" {
			all[d.Replaces] = d.Table
		}
	}
	return all
}()

// RowKey returns the names of the columns of the table's primary key, without the constant ones.
func (t Table) RowKey() []string { return declared[t].key }

// Tables lists every table.
func Tables() (tables []Table) {
	for _, d := range Declarations {
		tables = append(tables, d.Table)
	}
	return tables
}

// Families lists every family: all that a store must be able to write, and that verify compares.
func Families() (families []*Family) {
	for _, d := range Declarations {
		families = append(families, d.Table.Families()...)
	}
	return families
}

// Rebuildable lists the tables that hold nothing but copies: they can be built from truths at any time. One that
// replaces another is built as its key changes.
func Rebuildable() (tables []Table) {
	for _, d := range Declarations {
		if d.MakesRows() && d.Replaces == "" || d.Table == FeedBuckets {
			tables = append(tables, d.Table)
		}
	}
	return tables
}

// Named reports whether users' names stand beside what the table's rows are about.
func (t Table) Named() bool {
	return slices.ContainsFunc(allFamilies, func(g *Family) bool { return g.Names() && g.about == t.Declaration().About })
}

// OwnLists lists a table for each truth that lists what a user wrote, or reacted to: an erasure walks it, and a rename
// where it is [Table.Named].
func OwnLists() (tables []Table) {
	walked := map[Truth]bool{}
	for _, d := range Declarations {
		if d.MakesRows() && d.About != AboutUser && d.About != AboutHomed && d.Partition[0].Type == TypeUser && !walked[d.Maker().Truth] {
			tables, walked[d.Maker().Truth] = append(tables, d.Table), true
		}
	}
	return tables
}
