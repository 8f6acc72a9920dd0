package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// Rebuilder is an [Store] whose tables can be built anew.
type Rebuilder interface {
	Store

	// BeginRebuild makes the table if it is missing.
	BeginRebuild(ctx context.Context, table blog.Table) (Rebuild, Begun, error)
}

// Begun is how a rebuild begins.
type Begun struct {
	Parts int           // that the truths are read in, always as many
	Done  []int         // parts that an earlier rebuild has finished
	Lacks bool          // the table lacks rows, and has others too many, after an older program that does not know it
	Late  time.Duration // how long after its begin a command may still write what it decided before the table was emptied
}

// Rebuild is the building of one table under way. Its methods may be called concurrently.
type Rebuild interface {
	// Write writes whole rows of the table, family by family. It leaves alone what a later truth has written.
	Write(ctx context.Context, copies []blog.Copy) error
	// Finish writes down that a part is finished.
	Finish(ctx context.Context, part int) error
	// End ends the rebuild: the table is built.
	End(ctx context.Context) error
}

// Rebuilding is how a table is built anew. Its zero value is ready for use.
type Rebuilding struct {
	// Verifying is how the truths are read, and the verification at the end, which repairs the table.
	Verifying

	// Await waits until no command is left that may write what it decided before the rebuild began. Nil waits for as
	// long as one may take.
	Await func(ctx context.Context, late time.Duration) error
}

// AtRest is [Rebuilding.Await] of a store that nothing writes to.
func AtRest(context.Context, time.Duration) error { return nil }

// Rebuilt is the outcome of [Rebuilding.Run].
type Rebuilt struct {
	Rows     int // that were written
	Verified Verified
}

// Run builds a table from the truths, whatever it holds, while commands run. Copies are written at their truth's own
// stamp, so that what a command writes meanwhile, at a later one, wins in whatever order they arrive. A rebuild that was
// stopped goes on with the parts that it had not finished.
//
// A table that was emptied has lost its tombstones with its rows: what a command wrote late may stand there though its
// truth is gone. So the table is verified and repaired in the end, when no such command is left. So are the tables with
// usernames that a rename reaches through this one: a rename that ran while the rows were gone has missed them, and one
// that still runs is waited for. So are the truths of the rows, which an erasure that ran meanwhile has missed.
func (o Rebuilding) Run(ctx context.Context, store Rebuilder, table blog.Table) (Rebuilt, error) {
	if d := table.Declaration(); !slices.Contains(blog.Rebuildable(), table) && (d == nil || d.Replaces == "") {
		return Rebuilt{}, blog.Errorf(blog.Invalid, "%s can't be rebuilt: it holds truths, or nothing that follows from them. These can: %v, and on a cluster %s", table, slices.DeleteFunc(blog.Rebuildable(), func(t blog.Table) bool { return t == blog.FeedBuckets }), blog.FeedBuckets)
	}
	if o.Concurrency < 1 {
		o.Concurrency = usualConcurrency
	}
	if o.Await == nil {
		o.Await = pace.Wait
	}
	began := time.Now()
	rebuild, begun, err := store.BeginRebuild(ctx, table)
	if err != nil {
		return Rebuilt{}, err
	}
	written := 0
	if table != blog.FeedBuckets { // which the verification builds, as posts name it; nothing of it is written late
		if written, err = o.fill(ctx, store, table, rebuild, begun); err == nil {
			err = o.Await(ctx, max(0, begun.Late-time.Since(began)))
		}
	}
	if err != nil {
		return Rebuilt{Rows: written}, err
	}
	mend := o.Verifying
	mend.Repair, mend.Patient, mend.Tables = true, true, append(foundThrough(table), table)
	mend.built = table
	if begun.Lacks {
		mend.lacking = table
	}
	found, err := mend.Run(ctx, store)
	if err == nil && found.Left() == 0 {
		err = rebuild.End(ctx)
	}
	return Rebuilt{Rows: written + found.Repaired(), Verified: found}, err
}

// foundThrough returns what renames, erasures and follows find by the list of what a user has written or reacted to: the
// tables with copies of usernames, the table of the truths, and homes.
func foundThrough(list blog.Table) (tables []blog.Table) {
	if !slices.Contains(blog.OwnLists(), list) {
		return nil
	}
	of := list.Declaration()
	for _, d := range blog.Declarations {
		named := slices.ContainsFunc(d.Rows, func(g *blog.Family) bool { return g.Truth == blog.UserTruth })
		if named && d.About == of.About && d.Table != list {
			tables = append(tables, d.Table)
		}
	}
	if of := list.Reaction(); of != nil { // the other truths have a name beside them
		tables = append(tables, of.Table)
	}
	if list == blog.PostsByAuthor { // a follow finds what it brings to a home
		tables = append(tables, blog.HomeByUser)
	}
	return tables
}

// fill writes a table from the truths, and returns how many rows it wrote.
func (o Verifying) fill(ctx context.Context, store Rebuilder, table blog.Table, to Rebuild, begun Begun) (int, error) {
	reader, err := store.Audit(ctx, begun.Parts)
	if err != nil {
		return 0, err
	}
	var written atomic.Int64
	from := newVerification(o, store, reader).reading([]blog.Table{table}, false)
	from.whole = true
	err = atOnce(ctx, reader.Parts(), o.Concurrency, func(ctx context.Context, part int) error {
		if slices.Contains(begun.Done, part) {
			return nil
		}
		w := &rowWriter{Rebuild: to, table: table, written: &written}
		read := func() error { return from.truths(ctx, shapes[table].subject, part, w.add) }
		if table == blog.HomeByUser {
			read = func() error { return from.gather(ctx, part, w.add) }
		}
		if err := read(); err != nil {
			return err
		}
		if err := w.flush(ctx); err != nil {
			return err
		}
		return to.Finish(ctx, part)
	})
	err = errors.Join(err, reader.Close())
	return int(written.Load()), err
}

// rowWriter gathers the rows of one part and writes them some at a time.
type rowWriter struct {
	Rebuild
	table   blog.Table
	written *atomic.Int64 // rows of all parts
	waiting []blog.Copy
	rows    int
}

// rowsAtOnce is how many rows are written together.
const rowsAtOnce = 50

// add adds those among a truth's copies that stand in the table.
func (w *rowWriter) add(ctx context.Context, _ *blog.Subject, copies []blog.Copy) error {
	for _, c := range copies {
		if c.Family.Table == w.table && !nameless(c) {
			w.waiting = append(w.waiting, c)
			if c.Family.Row {
				w.rows++
			}
		}
	}
	if w.rows < rowsAtOnce {
		return nil
	}
	return w.flush(ctx)
}

func (w *rowWriter) flush(ctx context.Context) error {
	if w.rows == 0 {
		return nil
	}
	if err := w.Write(ctx, w.waiting); err != nil {
		return fmt.Errorf("rebuilding %s: %w", w.table, err)
	}
	w.written.Add(int64(w.rows))
	w.waiting, w.rows = w.waiting[:0], 0
	return nil
}
