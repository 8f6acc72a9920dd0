package auditor

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/migrate"
	"broadsheet/cassandra/tables"
	"broadsheet/internal/audit"
)

var _ audit.Rebuilder = (*Auditor)(nil)

const (
	// rebuildParts is in how many ranges of tokens a rebuild reads the truths. One that is stopped loses those it was in.
	rebuildParts = 128

	// lateWrites is for how long a node may still carry out a write after its command has ended.
	lateWrites = 10 * time.Second
)

// rebuild is the building of one table. A checkpoint has the parts that are finished.
type rebuild struct {
	*Auditor
	table blog.Table

	mu   sync.Mutex
	done job.Checkpoint[finishedParts]
}

// finishedParts are parts of rebuildParts.
type finishedParts struct {
	Parts int   `json:"parts"`
	Done  []int `json:"done"`
}

// BeginRebuild is a method of [audit.Rebuilder]. A table that was dropped is
// made again, by its migrations.
func (s *Auditor) BeginRebuild(ctx context.Context, table blog.Table) (audit.Rebuild, audit.Begun, error) {
	begun := audit.Begun{Parts: rebuildParts, Late: cql.CommandDeadline + lateWrites}
	writes, err := s.Moves.Writes(ctx, table)
	if err == nil && !writes {
		err = blog.Errorf(blog.Invalid, "%s is not written now: `broadsheet migrate key` fills and drops it", table)
	}
	if err != nil {
		return nil, begun, err
	}
	if err := migrate.Remake(ctx, s.Cluster, table); err != nil {
		return nil, begun, err
	}
	done, err := patient(ctx, s, func(ctx context.Context) (job.Checkpoint[finishedParts], error) {
		return job.Load[finishedParts](ctx, s.DB, migrate.RebuildName(table))
	})
	if err == nil && done.Position.Parts != rebuildParts {
		done.Position = finishedParts{Parts: rebuildParts}
	}
	begun.Done = done.Position.Done
	if err == nil {
		var unbuilt job.Checkpoint[struct{}]
		unbuilt, err = patient(ctx, s, func(ctx context.Context) (job.Checkpoint[struct{}], error) {
			return job.Load[struct{}](ctx, s.DB, migrate.UnbuiltName(table))
		})
		begun.Lacks = unbuilt.Begun()
	}
	return &rebuild{Auditor: s, table: table, done: done}, begun, err
}

// Write is a method of [audit.Rebuild]. The copies carry the stamps of their truths.
func (r *rebuild) Write(ctx context.Context, copies []blog.Copy) error {
	return cql.Insist(ctx, func(ctx context.Context) error {
		if err := tables.Write(ctx, r.DB, copies); err != nil {
			return err
		}
		return r.Gaps.UncoverLate(ctx, copies)
	})
}

// Finish is a method of [audit.Rebuild]. Two processes that build the same table share their
// finished parts.
func (r *rebuild) Finish(ctx context.Context, part int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return cql.Insist(ctx, func(ctx context.Context) error {
		if slices.Contains(r.done.Position.Done, part) {
			return nil
		}
		saved, err := r.done.Save(ctx, finishedParts{Parts: rebuildParts, Done: append(slices.Clone(r.done.Position.Done), part)})
		if err == nil && !saved {
			if r.done, err = job.Load[finishedParts](ctx, r.DB, migrate.RebuildName(r.table)); err == nil {
				err = cql.ErrRefused
			}
		}
		return err
	})
}

func (r *rebuild) End(ctx context.Context) error {
	return r.patiently(ctx, func(ctx context.Context) error {
		return cmp.Or(job.Forget(ctx, r.DB, migrate.UnbuiltName(r.table)), job.Forget(ctx, r.DB, migrate.RebuildName(r.table)))
	})
}
