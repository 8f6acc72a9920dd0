package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// Rebuilder is an [Store] whose tables can be built anew.
type Rebuilder interface {
	Store

	// BeginRebuild makes the table if it is missing, and returns how far an earlier
	// rebuild of it has come.
	BeginRebuild(ctx context.Context, table blog.Table) (Rebuild, error)
}

// Rebuild is the building of one table under way. Its methods may be called concurrently.
type Rebuild interface {
	// Parts is how many parts the truths are read in. It is the same for every
	// rebuild that goes on where another has stopped.
	Parts() int
	// Done reports whether a part was finished before.
	Done(part int) bool
	// Write writes rows of the table, with the copies that were read for them. It leaves
	// alone what a later truth has written.
	Write(ctx context.Context, rows []RebuiltRow) error
	// Finish writes down that a part is finished.
	Finish(ctx context.Context, part int) error
	// Late is how long after its begin a command may still write what it decided
	// before the table was emptied.
	Late() time.Duration
	// End ends the rebuild: the table is built.
	End(ctx context.Context) error
}

// RebuiltRow is a row of a table that is being built.
type RebuiltRow struct {
	Key    []any
	Post   blog.PostID // of a comment whose row's key does not name it
	Copies []blog.Copy
}

// Rebuilding is how a table is built anew. Its zero value is ready for use.
type Rebuilding struct {
	// Verifying is how the truths are read, and the verification at the end, which repairs the table.
	Verifying

	// Await waits until no command is left that may write what it decided before the rebuild
	// began: nil waits for as long as such a command may take. See [AtRest].
	Await func(ctx context.Context, late time.Duration) error
}

// AtRest is [Rebuilding.Await] of a store that nothing writes to.
func AtRest(context.Context, time.Duration) error { return nil }

// Rebuilt is the outcome of [Rebuilding.Run].
type Rebuilt struct {
	Rows     int // that were written
	Verified Verified
}

// Run builds a table from the truths, whatever it holds, while commands run.
// Copies are written at their truth's own stamp, so that what a command writes
// meanwhile, at a later one, wins in whatever order they arrive. A rebuild that was
// stopped goes on with the parts that it had not finished.
//
// A table that was emptied has lost its tombstones with its rows: what a command
// wrote late may stand there though its truth is gone. So the table is verified in
// the end, when no such command is left, and what it has too much or too little is
// repaired. So are the tables with usernames that a rename reaches through this one: a rename
// that ran while the rows were gone has missed them, and one that still runs is waited for. So
// are the truths of the rows: an erasure that ran meanwhile has missed them, and what it left is
// deleted.
func (o Rebuilding) Run(ctx context.Context, store Rebuilder, table blog.Table) (Rebuilt, error) {
	if !slices.Contains(blog.Rebuildable(), table) {
		return Rebuilt{}, blog.Errorf(blog.Invalid, "%s can't be rebuilt: it holds truths, or nothing that follows from them. These can: %v", table, blog.Rebuildable())
	}
	if o.Concurrency < 1 {
		o.Concurrency = usualConcurrency
	}
	if o.Await == nil {
		o.Await = pace.Wait
	}
	began := time.Now()
	rebuild, err := store.BeginRebuild(ctx, table)
	if err != nil {
		return Rebuilt{}, err
	}
	f := &filling{Rebuilding: o, table: table, rebuild: rebuild, pace: &pace.Pace{Every: pace.Of(o.Rate), Burst: burst}}
	if table != blog.FeedBuckets { // which the verification builds, as posts name it; nothing of it is written late
		if err = f.run(ctx, store); err == nil {
			err = o.Await(ctx, max(0, rebuild.Late()-time.Since(began)))
		}
	}
	if err != nil {
		return Rebuilt{Rows: f.written}, err
	}
	mend := o.Verifying
	mend.Repair, mend.Patient, mend.Tables = true, true, append(foundThrough(table), table)
	found, err := mend.Run(ctx, store)
	if err == nil && found.Left() == 0 {
		err = rebuild.End(ctx)
	}
	return Rebuilt{Rows: f.written + found.Repaired(), Verified: found}, err
}

// foundThrough returns what renames and erasures find by the list of what a user has written or reacted to:
// the tables with copies of usernames, and the table of the truths.
func foundThrough(list blog.Table) (tables []blog.Table) {
	if !slices.Contains(blog.OwnLists(), list) {
		return nil
	}
	of := list.Declaration()
	for _, d := range blog.Declarations {
		named := slices.ContainsFunc(d.Rows, func(g *blog.Group) bool { return g.Truth == blog.UserTruth })
		if named && d.About == of.About && d.Table != list {
			tables = append(tables, d.Table)
		}
	}
	if of := list.Reaction(); of != nil { // the other truths have a name beside them
		tables = append(tables, of.Claims)
	}
	return tables
}

// filling writes a table from the truths.
type filling struct {
	Rebuilding
	table   blog.Table
	rebuild Rebuild
	reader  Reader
	names   *nameCache
	pace    *pace.Pace

	mu      sync.Mutex
	written int // rows
}

func (f *filling) run(ctx context.Context, store Rebuilder) (err error) {
	if f.reader, err = store.Audit(ctx, f.rebuild.Parts()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.reader.Close()) }()
	f.names = newNameCache(f.reader)
	return atOnce(ctx, f.reader.Parts(), f.Concurrency, func(ctx context.Context, part int) error {
		if f.rebuild.Done(part) {
			return nil
		}
		w := &rowWriter{filling: f}
		if err := f.part(ctx, part, w); err != nil {
			return err
		}
		if err := w.flush(ctx); err != nil {
			return err
		}
		return f.rebuild.Finish(ctx, part)
	})
}

// part reads one part of what the table's rows are about.
func (f *filling) part(ctx context.Context, part int, w *rowWriter) error {
	k := kindOf(shapes[f.table].subject, f.table)
	return f.reader.EachTruth(ctx, k.table(), part, false, func(r TruthRow) error {
		switch {
		case r.Damaged != "":
			return r.unreadable(k.table())
		case !r.whole():
			return f.step(ctx)
		}
		return f.truth(ctx, k, r, w)
	})
}

// truth writes what follows from a truth. The counts of a post, which are truths of their own, are read with it.
func (f *filling) truth(ctx context.Context, k kind, r TruthRow, w *rowWriter) error {
	writer, err := f.names.of(ctx, r.Writer())
	if err == nil && k.about() == blog.AboutPost {
		err = f.reader.Counts(ctx, &r.Post)
	}
	if err != nil {
		return err
	}
	return w.rows(ctx, k.copies(r, writer), r.post())
}

func (f *filling) step(ctx context.Context) error {
	if f.Step != nil {
		f.Step(1)
	}
	return f.pace.Wait(ctx, 1)
}

// rowWriter gathers the rows of one part and writes them some at a time.
type rowWriter struct {
	*filling
	waiting []RebuiltRow
}

// rowsAtOnce is how many rows are written together.
const rowsAtOnce = 50

// rows adds those among a truth's copies that stand in the table.
func (w *rowWriter) rows(ctx context.Context, copies []blog.Copy, post blog.PostID) error {
	here := slices.DeleteFunc(copies, func(c blog.Copy) bool { return c.Group.Table != w.table || nameless(c) })
	var rows []RebuiltRow
	for _, c := range here {
		if c.Group.Row {
			rows = append(rows, RebuiltRow{Key: c.Key, Post: post})
		}
	}
	for i := range rows {
		rows[i].Copies = slices.DeleteFunc(slices.Clone(here), func(c blog.Copy) bool { return !SameValues(c.Key, rows[i].Key[:len(c.Key)]) })
	}
	return w.add(ctx, rows...)
}

func (w *rowWriter) add(ctx context.Context, rows ...RebuiltRow) error {
	if err := w.step(ctx); err != nil {
		return err
	}
	w.waiting = append(w.waiting, rows...)
	if len(w.waiting) < rowsAtOnce {
		return nil
	}
	return w.flush(ctx)
}

func (w *rowWriter) flush(ctx context.Context) error {
	if len(w.waiting) == 0 {
		return nil
	}
	if err := w.rebuild.Write(ctx, w.waiting); err != nil {
		return fmt.Errorf("rebuilding %s: %w", w.table, err)
	}
	w.mu.Lock()
	w.written += len(w.waiting)
	w.mu.Unlock()
	w.waiting = w.waiting[:0]
	return nil
}
