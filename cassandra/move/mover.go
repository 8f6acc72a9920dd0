package move

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/audit"
	"broadsheet/internal/pace"
)

// Mover changes keys, a step at a time. A step that was cut off is made again; two movers at once do no harm.
type Mover struct {
	DB      *cql.Session
	Phases  *Phases        // that the process itself goes by
	Cluster cluster.Config // as it was resolved
	Store   audit.Rebuilder
	Audit   audit.Verifying // how tables are read
	Lease   time.Duration   // for how long a step waits, if less than as described: of tests
}

// To makes all steps from the phase of a table to another, forward or back, and tells of each phase that it has reached. Invalid: no key of the table changes, there is
// no such phase, or no way back.
func (m Mover) To(ctx context.Context, table blog.Table, to Phase, reached func(Phase)) error {
	if table.Successor() == "" || !slices.Contains(order, to) {
		return blog.Errorf(blog.Invalid, "the key of %s does not change to %q: tables are %v, and phases %v", table, to, Tables(), order)
	}
	for {
		at, err := job.Load[migrate.Moved](ctx, m.DB, migrate.MoveName(table))
		if err != nil {
			return err
		}
		now := phaseOf(at.Position)
		switch {
		case now == Dropped && to == Dropped:
			return m.drop(ctx, table)
		case now == to:
			return nil
		case now == Dropped:
			return blog.Errorf(blog.Invalid, "%s is dropped, or about to be: there is no way back", table)
		}
		next := order[slices.Index(order, now)+1]
		if !to.from(now) {
			next = order[slices.Index(order, now)-1]
		}
		if err := m.step(ctx, table, &at, next); err != nil {
			return err
		}
		reached(next)
	}
}

// step makes one step, when every server goes by the phase before.
func (m Mover) step(ctx context.Context, table blog.Table, at *job.Checkpoint[migrate.Moved], next Phase) error {
	if err := m.wait(ctx); err != nil {
		return err
	}
	if next.from(phaseOf(at.Position)) {
		if err := m.prepare(ctx, table, next); err != nil {
			return err
		}
	}
	saved, err := at.Save(ctx, migrate.Moved{Phase: string(next)})
	if err == nil && !saved {
		err = blog.Errorf(blog.Unavailable, "another makes steps of %s: see `broadsheet migrate status`", table)
	}
	return err
}

// wait waits until every server has read the phase that this process has seen, or refuses the table, and until what it had
// begun by the phase before has ended.
func (m Mover) wait(ctx context.Context) error {
	lease := m.Lease
	if lease == 0 {
		lease = LeaseTime + cql.CommandDeadline
	}
	return cql.Convert(ctx, pace.Wait(ctx, lease))
}

// late is [audit.Rebuilding.Await].
func (m Mover) late(ctx context.Context, late time.Duration) error {
	if m.Lease > 0 {
		late = min(late, m.Lease)
	}
	return pace.Wait(ctx, late)
}

// prepare does what a phase that is ahead takes.
func (m Mover) prepare(ctx context.Context, table blog.Table, next Phase) error {
	to := table.Successor()
	switch next {
	case Both:
		return job.Forget(ctx, m.DB, migrate.RebuildName(to)) // one of before has missed what only the old table was told
	case Filled:
		rebuilt, err := audit.Rebuilding{Verifying: m.Audit, Await: m.late}.Run(ctx, m.Store, to)
		if n := rebuilt.Verified.Left(); err == nil && n > 0 {
			err = blog.Errorf(blog.Invalid, "%d rows of %s differ from their truth", n, to)
		}
		return err
	case Verified:
		return m.verify(ctx, table, to)
	case New:
		return m.whole(ctx, to)
	case Dropped:
		if err := m.whole(ctx, to); err != nil {
			return err
		}
		return migrate.Retire(ctx, m.Cluster, to)
	}
	return nil
}

func (m Mover) verify(ctx context.Context, tables ...blog.Table) error {
	look := m.Audit
	look.Tables = tables
	found, err := look.Run(ctx, m.Store)
	if n := found.Drifted(); err == nil && n > 0 {
		err = blog.Errorf(blog.Invalid, "%d rows of %v differ from their truth: run `broadsheet verify --repair`", n, tables)
	}
	if err != nil {
		return err
	}
	return m.whole(ctx, tables[len(tables)-1])
}

// whole fails where a program has written that knows no successor.
func (m Mover) whole(ctx context.Context, to blog.Table) error {
	lacking, err := job.Load[struct{}](ctx, m.DB, migrate.UnbuiltName(to))
	if err == nil && lacking.Begun() {
		err = blog.Errorf(blog.Invalid, "an older program has written, and not to %s: go back to %s, and fill it again when none runs any more", to, Both)
	}
	return err
}

// drop drops the old table when no server uses it.
func (m Mover) drop(ctx context.Context, table blog.Table) error {
	if err := m.wait(ctx); err != nil {
		return err
	}
	return migrate.Drop(ctx, m.Cluster, table)
}

// Tables are those whose keys change.
func Tables() (tables []blog.Table) {
	for _, d := range blog.Declarations {
		if d.Replaces != "" {
			tables = append(tables, d.Replaces)
		}
	}
	return tables
}
