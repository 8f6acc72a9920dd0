package embedded

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
	"broadsheet/internal/pace"
)

// building is the filling of the tables that a program brought which the last one to write here did
// not know. A query of such a table is refused until its history is there.
type building struct {
	left  atomic.Pointer[[]blog.Table] // nil: none, as nearly always
	stop  context.CancelFunc           // nil: nothing is built
	tried chan struct{}                // closed when a first attempt has ended
}

// buildAgain is the pause after an attempt that failed.
const buildAgain = time.Minute

// newSince returns the tables that came after a revision and follow from truths.
func newSince(known int) (tables []blog.Table) {
	for _, d := range blog.Declarations {
		if d.Embedded.Since > known && slices.Contains(blog.Rebuildable(), d.Table) {
			tables = append(tables, d.Table)
		}
	}
	return tables
}

// build fills the tables that are newer than a mark, in the background, then says in the directory that
// every table is whole. first is done before.
func (s *Store) build(o Options, was mark, dir string, first func(ctx context.Context, known int) error) {
	tables := newSince(was.tables)
	ctx, stop := context.WithCancel(context.Background())
	b := &s.building
	b.stop, b.tried = stop, make(chan struct{})
	b.left.Store(&tables)
	go func() {
		tried := sync.OnceFunc(func() { close(b.tried) })
		for {
			err := blog.SafelyLogged(o.Log, func() error { return s.buildAll(ctx, o, was, dir, first) })
			tried()
			if err == nil || ctx.Err() != nil {
				return
			}
			o.Log.Warn("a directory of an older broadsheet can't be brought up to date yet; queries of tables that are new are refused", "tables", b.tables(), "again in", buildAgain, "error", err)
			if pace.Wait(ctx, buildAgain) != nil {
				return
			}
		}
	}()
}

func (s *Store) buildAll(ctx context.Context, o Options, was mark, dir string, first func(context.Context, int) error) error {
	if err := first(ctx, was.tables); err != nil {
		return err
	}
	for left := s.building.tables(); len(left) > 0; left = left[1:] {
		s.building.left.Store(&left)
		table := left[0]
		o.Log.Info("a table that is new is filled; its queries are refused until then", "table", table)
		if err := s.empty(ctx, table); err != nil {
			return err
		}
		built, err := audit.Rebuilding{Await: audit.AtRest}.Run(ctx, s, table)
		if err != nil {
			return err
		}
		o.Log.Info("the table is filled", "table", table, "rows", built.Rows)
	}
	return s.endBuilding(ctx, o, was, dir)
}

// empty deletes what a table holds that is about to be filled. An older program that wrote since has left rows there of
// what it deleted, and of those the truths tell nothing. Homes don't follow from the truths alone.
func (s *Store) empty(ctx context.Context, table blog.Table) error {
	if table == blog.HomeByUser {
		return nil
	}
	return s.command(ctx, func(tx *tx) error {
		prefix := tables[table].prefix
		return tx.batch.DeleteRange([]byte{prefix}, []byte{prefix + 1}, nil)
	})
}

// endBuilding says in the directory that every table is whole, while the store is open.
func (s *Store) endBuilding(ctx context.Context, o Options, was mark, dir string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.inside.leave()
	if err := writeMark(dir, o.FS, mark{format, max(was.revision, revision), revision}); err != nil {
		return err
	}
	s.building.left.Store(nil)
	return nil
}

// refuses returns why a table is not read yet, nil where it is.
func (b *building) refuses(t *table) error {
	if left := b.left.Load(); left != nil && slices.Contains(*left, t.name) {
		return blog.Errorf(blog.Unavailable, "this list is new and is being filled; ask again soon")
	}
	return nil
}

func (b *building) tables() []blog.Table {
	if left := b.left.Load(); left != nil {
		return *left
	}
	return nil
}
