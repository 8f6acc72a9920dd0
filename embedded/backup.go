package embedded

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
)

const (
	backupFile = "BACKUP"     // has the time of the last backup
	sumsFile   = "SHA256SUMS" // of a backup, written last: its files, as sha256sum writes and checks them
	sumsSince  = 12           // in backups of directories whose tables are of this revision, or a later one
)

// Backup writes the store to a new directory, from which it can be opened: all that was acknowledged before, and each
// command whole or not at all. Table files, which never change, are linked and not copied, so the directory is on the
// data's file system, and commands wait for a few milliseconds. They do wait: a log that is copied while it is written
// looks damaged where the copy met the writing.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.lockWriter(ctx); err != nil {
		return err
	}
	unlock := sync.OnceFunc(func() { <-s.writer })
	return s.health.aside(context.Background(), func() error {
		defer s.inside.leave()
		defer unlock()
		return s.backUp(ctx, dir, unlock)
	})
}

// backUp makes a backup under another name, which it loses once it is whole. copied is called when commands may go on.
func (s *Store) backUp(ctx context.Context, dir string, copied func()) error {
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
	err := s.copyTo(part)
	copied()
	if err == nil {
		err = writeSums(ctx, part, f)
	}
	if err != nil {
		return errors.Join(err, f.RemoveAll(part))
	}
	if err := f.Rename(part, dir); err != nil {
		return errors.Join(err, f.RemoveAll(part))
	}
	if err := syncDir(f, f.PathDir(dir)); err != nil {
		return err
	}
	if err := s.space.moved(s.health); err != nil {
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

// writeSums notes what files a backup has.
func writeSums(ctx context.Context, dir string, f vfs.FS) error {
	names, err := f.List(dir)
	if err != nil {
		return err
	}
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		sum, err := sumOf(ctx, f, f.PathJoin(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, name)
	}
	return replaceFile(dir, f, sumsFile, text.String())
}

func sumOf(ctx context.Context, f vfs.FS, name string) (string, error) {
	file, err := f.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(sum, file, 1<<20)
	}
	if err == io.EOF {
		return hex.EncodeToString(sum.Sum(nil)), nil
	}
	return "", cmp.Or(err, ctx.Err())
}

// CheckBackup returns an error unless a directory has each file of a backup, as it was made.
func CheckBackup(ctx context.Context, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		if by, err := readMark(dir, vfs.Default); err != nil || by.tables < sumsSince {
			return err
		}
		return fmt.Errorf("%s has no %s, which backup writes last: it was cut off, or was opened since, or is no backup; where you know it to be whole, copy it yourself and serve the copy", dir, sumsFile)
	}
	files, listed := os.ReadDir(dir)
	if err := errors.Join(err, listed); err != nil {
		return err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	for _, file := range files {
		name := filepath.Join(dir, file.Name())
		want, has := sums[file.Name()]
		delete(sums, file.Name())
		if file.Name() == sumsFile {
			continue
		}
		if !has || !file.Type().IsRegular() {
			return fmt.Errorf("%s is no file of the backup, by its %s", name, sumsFile)
		}
		if sum, err := sumOf(ctx, vfs.Default, name); err != nil {
			return err
		} else if sum != want {
			return fmt.Errorf("the backup is damaged: %s is not as it was made", name)
		}
	}
	for name := range sums {
		return fmt.Errorf("the backup is not whole: %s lacks", filepath.Join(dir, name))
	}
	return nil
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
