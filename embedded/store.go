package embedded

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
)

// Options are how a store is opened.
type Options struct {
	blog.Options
	FS  vfs.FS       // nil: the machine's; tests inject faults and crashes
	Log *slog.Logger // nil: the default

	CacheBytes int64 // of blocks that are kept in memory; 0: [DefaultCacheBytes]
	ReadOnly   bool  // of a directory that holds a store: nothing is written there, and commands fail
}

// DefaultCacheBytes is the size of the cache that no option sets.
const DefaultCacheBytes = 16 << 20

// Store keeps a blog in one directory of this machine.
type Store struct {
	blog.Declared
	database
	clock    blog.Clock
	ids      *blog.IDs
	observer blog.Observer
	commits
	backedUp atomic.Int64 // when a backup was last made, in seconds of Unix time; 0: never
	schema   int          // the directory's revision
	newer    bool         // a newer program wrote here: its fields are kept where values are replaced

	erasures asides[blog.UserID]
	homes    asides[blog.PostID]
	building building
	changes  changeLog

	inside gate // of every call and every audit, so that Close waits for them
}

// database is Pebble's, with what becomes of it and of its disk.
type database struct {
	db     *pebble.DB
	health *health
	space  *diskSpace

	readOnly bool
}

// commits is what commands share, one after the other.
type commits struct {
	writer   chan struct{} // held by the command that decides; a channel, so that waiting ends with the context
	unsynced atomic.Int64  // commits that were applied, and of which it is not known that they are on disk

	// Under writer:
	deleted int // rows of lists, since the memory was flushed for them
	scratch
	oldestKey []byte // no idempotency key expires before this one
}

var _ blog.Store = (*Store)(nil)

var errClosed = errors.New("the store is closed")

// enter lets a call in, unless the store is closed or dead. s.inside.leave must follow.
func (s *Store) enter(ctx context.Context) error {
	if !s.inside.enter() {
		return unavailable(errClosed)
	}
	err := s.goesOn(ctx)
	if err != nil {
		s.inside.leave()
	}
	return err
}

// goesOn returns why a call that is inside has to leave, nil while it need not.
func (s *Store) goesOn(ctx context.Context) error {
	if !s.inside.admits() {
		return unavailable(errClosed)
	}
	if err := s.health.cause(); err != nil {
		return unavailable(err)
	}
	return s.convert(ctx.Err())
}

// Ready is a method of [blog.Store].
func (s *Store) Ready(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	s.inside.leave()
	if err := s.space.moved(s.health); err != nil {
		return unavailable(err)
	}
	return nil
}

// Writable is a method of [blog.Store].
func (s *Store) Writable(ctx context.Context) error { return cmp.Or(s.Ready(ctx), s.refusal()) }

// refusal returns why no command can be carried out, nil while it can.
func (s *Store) refusal() error {
	if err := cmp.Or(s.health.cause(), s.space.moved(s.health)); err != nil {
		return unavailable(err)
	}
	if err := cmp.Or(s.health.refusal(), s.space.refusal()); err != nil {
		return refused(err)
	}
	return nil
}

// Upkeep is a method of [blog.Store]. There is none, but for erasures, homes, changes, tables that are filled,
// and what a newer program left.
func (s *Store) Upkeep() (u blog.Upkeep) {
	u.Told = s.changes.newest() - s.changes.begun
	u.Jobs = map[blog.Job]blog.JobProgress{blog.EraseJob: s.erasures.progress(), blog.HomeJob: s.homes.progress()}
	u.Unbuilt = s.building.tables()
	u.LastBackup = time.Unix(s.backedUp.Load(), 0)
	u.Schema = s.schema
	verified, _ := s.Noted(context.Background(), blog.Verified)
	u.LastVerify = blog.TimeOf(verified)
	if s.newer {
		u.Newer = "a newer program wrote to the directory, and what only that one knows is kept as it is"
	}
	return u
}

// Settle waits for erasures and homes, and for an attempt to fill tables that are new: nothing else is left to the background.
func (s *Store) Settle(ctx context.Context) error {
	if err := s.Ready(ctx); err != nil {
		return err
	}
	return s.convert(cmp.Or(s.erasures.wait(ctx), s.homes.wait(ctx), whenClosed(ctx, s.building.tried)))
}

const closePatience = 10 * time.Second

// Close waits for the calls inside, then closes the database. A dead one does not
// let itself be closed; the end of the process does that then.
func (s *Store) Close() error {
	if !s.inside.shut() {
		return nil
	}
	if s.building.stop != nil {
		s.building.stop()
	}
	ctx, stop := context.WithTimeout(context.Background(), closePatience)
	defer stop()
	err := s.health.aside(ctx, func() error {
		<-s.inside.empty
		if err := s.health.cause(); err != nil {
			return err
		}
		if s.readOnly {
			return errors.Join(s.db.Close(), s.space.lock.Close())
		}
		// The second record proves that all before the first is on disk: see checkFiles.
		return errors.Join(s.db.LogData(nil, pebble.Sync), s.db.LogData(nil, pebble.Sync), s.db.Close(), s.space.lock.Close())
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return unavailable(errors.New("the calls inside did not end in time"))
	}
	return s.convert(err)
}

// observe reports a statement that began then and ends now.
func (s *Store) observe(ctx context.Context, began time.Time, st blog.Statement) {
	if s.observer != nil {
		st.Duration = time.Since(began)
		s.observer.Statement(ctx, st)
	}
}
