package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A disk that fills up while the log is written kills the store, and a restart
// needs room too. So commands are refused before that, and accepted again when
// there is room, without a restart.
const (
	leastRoom        = 64 << 20
	roomCheckedEvery = time.Second // and
	roomCheckedAfter = 4 << 20     // bytes, whichever comes first
)

var errNoRoom = errors.New("the disk is full, or almost")

// room knows whether the disk has room for commands. It is safe for concurrent use.
type room struct {
	dir string
	fs  vfs.FS
	log *slog.Logger

	mu      sync.Mutex
	checked time.Time
	wrote   int // bytes since then
	lack    error
}

// write notes that so many bytes are written.
func (r *room) write(bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote += bytes
}

// refusal returns an error where too little room is left. A file system that
// doesn't say has enough.
func (r *room) refusal() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.checked) < roomCheckedEvery && r.wrote < roomCheckedAfter {
		return r.lack
	}
	before := r.lack
	r.checked, r.wrote, r.lack = time.Now(), 0, r.lacking(leastRoom)
	switch {
	case before == nil && r.lack != nil:
		r.log.Error("embedded store: commands are refused until there is room", "error", r.lack)
	case before != nil && r.lack == nil:
		r.log.Info("embedded store: there is room again")
	}
	return r.lack
}

// lacking returns an error where less room is left than is needed, in bytes.
func (r *room) lacking(needed uint64) error {
	usage, err := r.fs.GetDiskUsage(r.dir)
	if err != nil || usage.AvailBytes >= needed {
		return nil
	}
	return fmt.Errorf("%w: %s has %d MB left, and %d are needed: make room", errNoRoom, r.dir, usage.AvailBytes>>20, (needed+1<<20-1)>>20)
}

// whatOpeningWrites is, in bytes, what opening needs beside what the logs hold, which goes
// to table files: new logs and lists.
const whatOpeningWrites = 4 << 20

// toOpen returns an error where opening the directory would fill the disk. Pebble would try
// to write what it can't again and again, without an end or a word.
func (r *room) toOpen() error {
	names, err := r.fs.List(r.dir)
	if err != nil {
		return err
	}
	needed := uint64(whatOpeningWrites)
	for _, name := range names {
		if info, err := r.fs.Stat(r.fs.PathJoin(r.dir, name)); err == nil && strings.HasSuffix(name, ".log") {
			needed += uint64(info.Size())
		}
	}
	return r.lacking(needed)
}
