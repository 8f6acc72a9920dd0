package embedded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The format of the directory. It is raised when older programs could not read
// what this one writes; older directories must then still be read.
const (
	format     = 1
	formatFile = "BROADSHEET"
	formatText = "broadsheet embedded store, format %d\n"
)

// foreign returns an error where the directory holds something else than a store,
// or a store in a format that this program does not know.
func foreign(dir string, f vfs.FS) error {
	names, err := f.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s can't be listed: give this user the right to, or name another directory: %w", dir, err)
	}
	for _, name := range names {
		if name == formatFile {
			return checkFormat(dir, f)
		}
	}
	for _, name := range names {
		if name != "LOCK" && name != "lost+found" && name != formatFile+".new" {
			return fmt.Errorf("%s holds something else (%s): name an empty directory, or one that does not exist", dir, name)
		}
	}
	return nil
}

func checkFormat(dir string, f vfs.FS) error {
	file, err := f.Open(f.PathJoin(dir, formatFile))
	if err != nil {
		return fmt.Errorf("%s can't be read: give this user the right to, or name another directory: %w", dir, err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("%s can't be read: %w", f.PathJoin(dir, formatFile), err)
	}
	var found int
	if _, err := fmt.Sscanf(string(text), formatText, &found); err != nil {
		return fmt.Errorf("%s is damaged: restore the directory from a backup", f.PathJoin(dir, formatFile))
	}
	if found > format {
		return fmt.Errorf("%s was written by a newer broadsheet, in format %d; this one knows formats up to %d: run the newer program", dir, found, format)
	}
	return nil
}

// markFormat says in the directory that it holds a store, before it does: a
// database without the mark is somebody else's.
func markFormat(dir string, f vfs.FS) error {
	name := f.PathJoin(dir, formatFile)
	if _, err := f.Stat(name); err == nil {
		return nil
	}
	if err := writeSynced(f, name+".new", fmt.Sprintf(formatText, format)); err != nil {
		return err
	}
	if err := f.Rename(name+".new", name); err != nil {
		return err
	}
	d, err := f.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func writeSynced(f vfs.FS, name, text string) error {
	file, err := f.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = file.Write([]byte(text))
	return errors.Join(err, file.Sync(), file.Close())
}
