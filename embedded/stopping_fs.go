package embedded

import (
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// stoppingFS declares the store dead where a file of the log, the list of files, or
// a directory can't be written, and does not return to Pebble, which holds no lock
// then that a reader needs. Were the fault returned while Pebble changes from one log
// file to the next, Pebble would panic in a way that ends the process.
type stoppingFS struct {
	vfs.FS
	health *health
}

// retryPause is how long Pebble is kept from trying again to write a table file, which it
// would do without a pause as long as the disk is full.
const retryPause = 50 * time.Millisecond

func (f stoppingFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasSuffix(name, ".sst") && f.health.refusal() != nil {
		time.Sleep(retryPause)
	}
	file, err := f.FS.Create(name, c)
	return f.guard(name, file, err)
}

func (f stoppingFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.ReuseForWrite(old, name, c)
	return f.guard(name, file, err)
}

func (f stoppingFS) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return stoppingDir{file, f.health}, nil
}

func (f stoppingFS) guard(name string, file vfs.File, err error) (vfs.File, error) {
	if !strings.HasSuffix(name, ".log") && !strings.HasPrefix(f.PathBase(name), "MANIFEST-") {
		return file, err
	}
	if err = f.health.unlessGuarded(err); err != nil {
		return nil, err
	}
	return stoppingFile{file, f.health}, nil
}

type stoppingFile struct {
	vfs.File
	health *health
}

func (f stoppingFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.health.unlessGuarded(err)
}

func (f stoppingFile) Preallocate(offset, length int64) error {
	return f.health.unlessGuarded(f.File.Preallocate(offset, length))
}

func (f stoppingFile) Sync() error { return f.health.unlessGuarded(f.File.Sync()) }

func (f stoppingFile) SyncData() error { return f.health.unlessGuarded(f.File.SyncData()) }

func (f stoppingFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	return full, f.health.unlessGuarded(err)
}

func (f stoppingFile) Close() error { return f.health.unlessGuarded(f.File.Close()) }

// stoppingDir is a directory of which no fault is returned: Pebble panics where it can't
// sync one, and it does so in the background while the store is opened, too.
type stoppingDir struct {
	vfs.File
	health *health
}

func (d stoppingDir) Sync() error {
	if err := d.File.Sync(); err != nil {
		d.health.stop(err)
	}
	return nil
}

// unlessGuarded returns err while the store is being opened or closed, when Pebble
// returns it in turn.
func (h *health) unlessGuarded(err error) error {
	if err != nil && h.guarding.Load() {
		h.stop(err)
	}
	return err
}

// stop declares the store dead and does not return.
func (h *health) stop(err error) {
	_ = h.die(err)
	select {}
}
