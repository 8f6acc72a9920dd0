package embedded

import (
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// stoppingFS declares the store dead where its directory or a file in it can't be written, and does
// not return to Pebble, which holds no lock then that a reader needs, and would end the process.
// Table files that can't be written it returns to Pebble once the store is opened: it writes them in
// the background, and tries again. What it writes elsewhere is a backup, which may fail.
type stoppingFS struct {
	vfs.FS
	health *health
	space  *diskSpace
}

// retryPause is how long Pebble is kept from trying again to write a table file, which it
// would do without a pause as long as the disk is full.
const retryPause = 50 * time.Millisecond

// stay does not return where another directory is at the path by now: files are named by that.
func (f stoppingFS) stay(name string) {
	if f.PathDir(name) == f.space.dir && f.space.moved(f.health) != nil {
		select {}
	}
}

// Open is for readers too, who must not be kept.
func (f stoppingFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if f.PathDir(name) == f.space.dir {
		if err := f.space.moved(f.health); err != nil {
			return nil, err
		}
	}
	return f.FS.Open(name, opts...)
}

func (f stoppingFS) Remove(name string) error {
	f.stay(name)
	return f.FS.Remove(name)
}

func (f stoppingFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f.stay(name)
	if strings.HasSuffix(name, tableFile) && f.health.refusal() != nil {
		time.Sleep(retryPause)
	}
	file, err := f.FS.Create(name, c)
	return f.guard(name, file, err)
}

func (f stoppingFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f.stay(name)
	file, err := f.FS.ReuseForWrite(old, name, c)
	return f.guard(name, file, err)
}

func (f stoppingFS) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	if err != nil || name != f.space.dir {
		return file, err
	}
	return stoppingFile{file, f.health, false}, nil
}

const tableFile = ".sst"

func (f stoppingFS) guard(name string, file vfs.File, err error) (vfs.File, error) {
	if f.PathDir(name) != f.space.dir {
		return file, err
	}
	guarded := stoppingFile{file, f.health, strings.HasSuffix(name, tableFile)}
	if err = guarded.survived(err); err != nil {
		return nil, err
	}
	return guarded, nil
}

type stoppingFile struct {
	vfs.File
	health *health
	table  bool
}

// survived returns an error that the store survives, and does not return where it dies.
func (f stoppingFile) survived(err error) error {
	if err != nil && !(f.table && f.health.opened.Load()) {
		_ = f.health.die(err)
		select {}
	}
	return err
}

func (f stoppingFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.survived(err)
}

func (f stoppingFile) Preallocate(offset, length int64) error {
	return f.survived(f.File.Preallocate(offset, length))
}

func (f stoppingFile) Sync() error { return f.survived(f.File.Sync()) }

func (f stoppingFile) SyncData() error { return f.survived(f.File.SyncData()) }

func (f stoppingFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	return full, f.survived(err)
}

func (f stoppingFile) Close() error { return f.survived(f.File.Close()) }
