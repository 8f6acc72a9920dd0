package embedded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
)

// The mark of the directory says what wrote it.
//
// The format is raised when older programs could not read what this one writes, or would not keep it; older
// directories must then still be read. Programs of format 1 were never released, and the first of them cut
// what they did not know off a value that they rewrote.
//
// The revision is raised with each field that is added to a value, and with each table: both are declared with it. An
// older program reads such values; by the mark it keeps the fields that it does not know.
//
// The tables are whole that had come by the revision of the last line: of the last program that wrote here,
// or filled what is new. An older program that writes lowers it, for it leaves newer tables behind.
const (
	format       = 2
	formatText   = "broadsheet embedded store, format %d\n"
	revisionText = "revision %d\n"
	tablesText   = "tables %d\n"
)

// FormatFile is the mark's name.
const FormatFile = "BROADSHEET"

// noDeadRows is the first revision in which deleted rows leave nothing.
const noDeadRows = 8

// revision is this program's.
var revision = func() int {
	newest := noDeadRows
	for _, d := range blog.Declarations {
		newest = max(newest, d.Embedded.Since)
		for _, g := range slices.Concat(d.Truth, d.Table.Families()) {
			for _, c := range g.Columns {
				newest = max(newest, c.Since)
			}
		}
	}
	return newest
}()

// mark is what a directory's mark says; programs before there were revisions wrote none, and
// tables are 0 where nothing is said of them.
type mark struct{ format, revision, tables int }

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
	if slices.Contains(names, FormatFile) {
		found, err := readMark(dir, f)
		if err == nil && found.format > format {
			err = fmt.Errorf("%s was written by a newer broadsheet, in format %d; this one knows formats up to %d: run the newer program", dir, found.format, format)
		}
		return err
	}
	for _, name := range names {
		if name != "LOCK" && name != "lost+found" && name != FormatFile+".new" {
			return fmt.Errorf("%s holds something else (%s): name an empty directory, or one that does not exist", dir, name)
		}
	}
	return nil
}

func readMark(dir string, f vfs.FS) (found mark, err error) {
	text, err := readFile(f, f.PathJoin(dir, FormatFile))
	if err != nil {
		return found, fmt.Errorf("%s can't be read: give this user the right to, or name another directory: %w", dir, err)
	}
	n, err := fmt.Sscanf(string(text), formatText+revisionText+tablesText, &found.format, &found.revision, &found.tables)
	if n == 0 || n == 1 && string(text) != fmt.Sprintf(formatText, found.format) {
		return found, fmt.Errorf("%s is damaged: restore the directory from a backup", f.PathJoin(dir, FormatFile))
	}
	return found, nil
}

// markFormat says in the directory that it holds a store, before it does: a
// database without the mark is not of this program.
func markFormat(dir string, f vfs.FS) error {
	if _, err := f.Stat(f.PathJoin(dir, FormatFile)); err == nil {
		return nil
	}
	return writeMark(dir, f, mark{format, revision, revision})
}

// raiseMark says in the directory that this program writes there, before it does, and returns what it said before.
func raiseMark(dir string, f vfs.FS) (found mark, err error) {
	found, err = readMark(dir, f)
	now := mark{format, max(found.revision, revision), min(found.tables, revision)}
	if err == nil && found != now {
		err = writeMark(dir, f, now)
	}
	return found, err
}

func writeMark(dir string, f vfs.FS, m mark) error {
	return replaceFile(dir, f, FormatFile, fmt.Sprintf(formatText+revisionText+tablesText, m.format, m.revision, m.tables))
}

func readFile(f vfs.FS, name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// replaceFile writes a small file of the directory: whatever happens, it is the old one or the new.
func replaceFile(dir string, f vfs.FS, base, text string) error {
	name := f.PathJoin(dir, base)
	if err := writeSynced(f, name+".new", text); err != nil {
		return err
	}
	if err := f.Rename(name+".new", name); err != nil {
		return err
	}
	return syncDir(f, dir)
}

// syncDir has the names in a directory outlive a crash.
func syncDir(f vfs.FS, dir string) error {
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
