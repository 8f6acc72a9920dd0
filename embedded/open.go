package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
)

// InMemory opens a store that ends with the process.
func InMemory(options Options) (*Store, error) {
	options.FS = vfs.NewMem()
	return Open("memory", options)
}

// Open opens the store in a directory, which it makes where there is none. Each of
// its errors says what to do. One that it returns before Pebble runs leaves the
// directory as it was; one that Pebble returns leaves the data as it was.
func Open(dir string, options Options) (*Store, error) {
	o := withDefaults(options)
	dir, err := path(dir, options.FS)
	if err != nil {
		return nil, err
	}
	lock, err := lockDirectory(dir, o.FS)
	if err != nil {
		return nil, err
	}
	s := &Store{
		clock: o.Clock, ids: o.IDs, observer: o.Observer,
		database: database{health: newHealth(o.Log), space: newDiskSpace(dir, lock, o), readOnly: o.ReadOnly},
		commits:  commits{writer: make(chan struct{}, 1)},
	}
	s.Declared = blog.DeclaredOn(s)
	if err := s.openDatabase(dir, o); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

func withDefaults(o Options) Options {
	o.FS = cmp.Or(o.FS, vfs.Default)
	o.Log = cmp.Or(o.Log, slog.Default())
	o.Options = o.Options.WithDefaults(o.Log)
	o.CacheBytes = cmp.Or(o.CacheBytes, DefaultCacheBytes)
	return o
}

// path makes a directory's name absolute: the lock that keeps two stores of one process apart goes by the name.
func path(dir string, injected vfs.FS) (string, error) {
	if injected != nil {
		return dir, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return dir, nil
}

// lockDirectory makes the directory and takes it for this process.
func lockDirectory(dir string, f vfs.FS) (*pebble.Lock, error) {
	if info, err := f.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: name a directory for the store's data", dir)
	}
	if err := foreign(dir, f); err != nil {
		return nil, err
	}
	if err := f.MkdirAll(dir, 0o755); errors.Is(err, syscall.ENOSPC) {
		return nil, openError(dir, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s can't be made: make it by hand, or name another directory: %w", dir, err)
	}
	lock, err := pebble.LockDirectory(dir, f)
	switch {
	case err == nil:
		return lock, nil
	case errors.Is(err, syscall.EAGAIN), strings.Contains(err.Error(), "lock held"):
		return nil, fmt.Errorf("%s is in use by another server: stop that one, or name another directory: %w", dir, err)
	case errors.Is(err, syscall.ENOSPC):
		return nil, openError(dir, err)
	default:
		return nil, fmt.Errorf("%s can't be written: give this user the right to, or name another directory: %w", dir, err)
	}
}

// openDatabase opens Pebble in the locked directory. Unavailable: the disk has no space for it yet.
func (s *Store) openDatabase(dir string, o Options) error {
	if err := s.space.toOpen(); err != nil {
		no := unavailable(err)
		no.Message = "the disk of the store is full: the server goes on as soon as there is room"
		return no
	}
	// On some damage Pebble panics. Where the store dies, Pebble keeps its hold of the lock.
	return openError(dir, s.health.aside(context.Background(), func() error {
		exists, err := s.prepare(dir, o.FS)
		if err == nil && !exists {
			// Pebble begins a new database with a log in its oldest format, in which
			// damage can't be distinguished from a crash, and goes on in pebbleFormat.
			if s.db, err = pebble.Open(dir, s.pebbleOptions(o)); err == nil {
				err = s.db.Close()
			}
		}
		if err == nil {
			s.db, err = pebble.Open(dir, s.pebbleOptions(o))
		}
		if err != nil {
			return err
		}
		if err := s.begin(dir, o); err != nil {
			return errors.Join(err, s.db.Close())
		}
		return nil
	}))
}

// begin makes the open database this program's: its change log, its mark, and its tables where an
// older program wrote last.
func (s *Store) begin(dir string, o Options) error {
	if err := s.openChanges(o.KeepChanges); err != nil {
		return err
	}
	if err := s.readBackup(); err != nil || s.readOnly {
		return err
	}
	if err := o.FS.Remove(o.FS.PathJoin(dir, sumsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // of a backup that is served itself, and changes from now on
	}
	was, err := raiseMark(dir, o.FS)
	if err == nil && was.tables < noDeadRows {
		err = s.removeDeadRows()
	}
	if err != nil {
		return err
	}
	s.schema = max(was.revision, revision)
	if s.newer = was.revision > revision; s.newer {
		o.Log.Warn("a newer broadsheet wrote to this directory: what only that one knows is kept as it is", "directory", dir)
	}
	s.health.opened.Store(true)
	if was.tables < revision {
		s.build(o, was, dir, s.dropLeft)
	}
	return nil
}

// prepare marks the directory and checks what stands in it, if anything does.
func (s *Store) prepare(dir string, f vfs.FS) (exists bool, err error) {
	if err := markFormat(dir, f); err != nil {
		return false, err
	}
	description, err := pebble.Peek(dir, f)
	if err != nil {
		return false, err
	}
	if !description.Exists {
		return false, noData(dir, f)
	}
	return true, checkFiles(dir, description.ManifestFilename, f)
}

func openError(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "unknown format major version"):
		return fmt.Errorf("%s was written by a newer broadsheet: run the newer program: %w", dir, err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s is on a full disk: make room and start again; nothing is lost: %w", dir, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s can't be written: give this user the right to, or name another directory: %w", dir, err)
	default:
		return fmt.Errorf("%s can't be opened; if a file in it is damaged, keep a copy of the directory and restore it from a backup: %w", dir, err)
	}
}

// The version of Pebble's own format, named so that a new library does not raise
// it unasked: programs before it could not open the directory then.
const pebbleFormat = pebble.FormatValueSeparation

func (s *Store) pebbleOptions(given Options) *pebble.Options {
	o := &pebble.Options{
		FS:                 stoppingFS{given.FS, s.health, s.space},
		Lock:               s.space.lock,
		Logger:             s.health,
		EventListener:      s.health.events(),
		FormatMajorVersion: pebbleFormat,
		CacheSize:          given.CacheBytes,
		ReadOnly:           given.ReadOnly,
		MemTableSize:       8 << 20,
	}
	for i := range o.Levels {
		// Most claims are looked up to find that there is none. With 10 bits a key, one in a hundred reads a block for it.
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return o
}
