package embedded

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

var _ audit.Rebuilder = (*Store)(nil)

// rebuild is the building of one table. It is one part: a million rows take seconds,
// and one that was stopped begins again.
type rebuild struct {
	store *Store
	table blog.Table
}

// BeginRebuild is a method of [audit.Rebuilder].
func (s *Store) BeginRebuild(_ context.Context, table blog.Table) (audit.Rebuild, audit.Begun, error) {
	if table == blog.FeedBuckets {
		return nil, audit.Begun{}, blog.Errorf(blog.Invalid, "%s: this store has no such table; its feed is one partition", table)
	}
	if replaced := table.Declaration().Replaces; replaced != "" {
		return nil, audit.Begun{}, blog.Errorf(blog.Invalid, "%s: this store has no such table; it keeps %s", table, replaced)
	}
	return &rebuild{s, table}, audit.Begun{Parts: 1}, nil // a command is one commit, and never late
}

func (r *rebuild) Finish(context.Context, int) error { return nil }

func (r *rebuild) End(context.Context) error { return nil }

// Write is a method of [audit.Rebuild]. Stamps are not compared here, so the rows are
// not written as they were read but as the truths are now.
func (r *rebuild) Write(ctx context.Context, copies []blog.Copy) error {
	return r.store.command(ctx, func(tx *tx) error {
		for _, c := range copies {
			if !c.Family.Row {
				continue
			}
			post := audit.First[blog.PostID]([]blog.Copy{c})
			if err := tx.rewrite(audit.Drift{Table: r.table, Key: c.Key, Post: post}); err != nil {
				return err
			}
		}
		return nil
	})
}
