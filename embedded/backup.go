package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// backupFile has the time of the last backup.
const backupFile = "BACKUP"

// Backup writes the store to a new directory, from which it can be opened: all that was acknowledged before, and each
// command whole or not at all. Table files, which never change, are linked and not copied, so the directory is on the
// data's file system, and commands wait for a few milliseconds. They do wait: a log that is copied while it is written
// looks damaged where the copy met the writing.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.lockWriter(ctx); err != nil {
		return err
	}
	return s.health.aside(context.Background(), func() error {
		defer s.inside.leave()
		defer func() { <-s.writer }()
		return s.backUp(dir)
	})
}

// backUp makes a backup under another name, which it loses once it is whole.
func (s *Store) backUp(dir string) error {
	f, part := s.space.fs, dir+".part"
	if _, err := f.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: name a directory that is not", dir)
	}
	if err := f.Link(f.PathJoin(s.space.dir, FormatFile), part); err != nil {
		return fmt.Errorf("name a directory on the file system of %s, beside which there is no %s, and copy the backup from there: %w", s.space.dir, part, err)
	}
	if err := f.Remove(part); err != nil {
		return err
	}
	if err := s.copyTo(part); err != nil {
		return errors.Join(err, f.RemoveAll(part))
	}
	if err := f.Rename(part, dir); err != nil {
		return errors.Join(err, f.RemoveAll(part))
	}
	if err := syncDir(f, f.PathDir(dir)); err != nil {
		return err
	}
	now := s.clock.Now()
	s.backedUp.Store(now.Unix())
	return replaceFile(s.space.dir, f, backupFile, now.UTC().Format(time.RFC3339)+"\n")
}

// copyTo makes a directory that has the database, the mark and the notes.
func (s *Store) copyTo(dir string) error {
	f := s.space.fs
	if err := s.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return err
	}
	for _, name := range []string{FormatFile, noteFile(blog.Authentication), noteFile(blog.Issuer)} {
		err := f.Link(f.PathJoin(s.space.dir, name), f.PathJoin(dir, name))
		if err != nil && (name == FormatFile || !errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return syncDir(f, dir)
}

// readBackup reads when the last backup was made. It is 0 where there was none.
func (s *Store) readBackup() error {
	text, err := readFile(s.space.fs, s.space.fs.PathJoin(s.space.dir, backupFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if made, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text))); err == nil {
		s.backedUp.Store(made.Unix())
	}
	return err
}
