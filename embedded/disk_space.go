package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A disk that fills up while the log is written kills the store, and a restart needs space too. So commands are
// refused before that, and accepted again when there is space, without a restart.
const leastSpace = 64 << 20

var errDiskFull = errors.New("the disk is full, or almost")

// diskSpace knows whether the disk has space for commands. It is safe for concurrent use.
type diskSpace struct {
	dir  string
	lock *pebble.Lock // of the directory
	fs   vfs.FS
	log  *slog.Logger

	opened os.FileInfo // of the directory's lock; nil: in memory

	mu   sync.Mutex
	lack error // when it was looked at last
}

func newDiskSpace(dir string, lock *pebble.Lock, o Options) *diskSpace {
	d := &diskSpace{dir: dir, lock: lock, fs: o.FS, log: o.Log}
	if o.FS == vfs.Default {
		d.opened, _ = os.Stat(d.lockFile())
	}
	return d
}

func (d *diskSpace) lockFile() string { return filepath.Join(d.dir, "LOCK") }

// moved has the store die where at its path there is not the lock that it holds: the directory, or what is in it, was
// moved away, removed or replaced. New files would be written beside others, and those be read and deleted, while what is
// acknowledged is elsewhere.
func (d *diskSpace) moved(h *health) error {
	if d.opened == nil {
		return nil
	}
	now, err := os.Stat(d.lockFile())
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	if !gone && (err != nil || os.SameFile(now, d.opened)) {
		return nil
	}
	return h.end(fmt.Errorf("%s was moved, removed or replaced under the running server, which stopped: stop it before that; start it on the directory that it is to serve", d.dir))
}

// refusal returns an error where too little space is left. A file system that doesn't say has enough.
func (d *diskSpace) refusal() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.lack
	d.lack = d.lacking(leastSpace)
	switch {
	case before == nil && d.lack != nil:
		d.log.Error("embedded store: commands are refused until there is room", "error", d.lack)
	case before != nil && d.lack == nil:
		d.log.Info("embedded store: there is room again")
	}
	return d.lack
}

// lacking returns an error where less space is left than is needed, in bytes.
func (d *diskSpace) lacking(needed uint64) error {
	usage, err := d.fs.GetDiskUsage(d.dir)
	if err != nil || usage.AvailBytes >= needed {
		return nil
	}
	return fmt.Errorf("%w: %s has %d MB left, and %d are needed: make room", errDiskFull, d.dir, usage.AvailBytes>>20, (needed+1<<20-1)>>20)
}

// whatOpeningWrites is, in bytes, what opening needs beside what the logs hold, which goes
// to table files: new logs and lists.
const whatOpeningWrites = 4 << 20

// toOpen returns an error where opening the directory would fill the disk. Pebble would try
// to write what it can't again and again, without an end or a word.
func (d *diskSpace) toOpen() error {
	names, err := d.fs.List(d.dir)
	if err != nil {
		return err
	}
	needed := uint64(whatOpeningWrites)
	for _, name := range names {
		if info, err := d.fs.Stat(d.fs.PathJoin(d.dir, name)); err == nil && strings.HasSuffix(name, ".log") {
			needed += uint64(info.Size())
		}
	}
	return d.lacking(needed)
}
