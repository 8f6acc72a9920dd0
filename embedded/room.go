package embedded

import (
	"errors"
	"fmt"
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

var errNoRoom = errors.New("the disk is almost full")

// room knows whether the disk has room for commands. It is used under the writer's
// lock.
type room struct {
	dir     string
	fs      vfs.FS
	checked time.Time
	wrote   int // bytes since then
	lack    error
}

// refusal returns an error where too little room is left. A file system that
// doesn't say has enough.
func (r *room) refusal() error {
	if time.Since(r.checked) < roomCheckedEvery && r.wrote < roomCheckedAfter {
		return r.lack
	}
	r.checked, r.wrote, r.lack = time.Now(), 0, nil
	if usage, err := r.fs.GetDiskUsage(r.dir); err == nil && usage.AvailBytes < leastRoom {
		r.lack = fmt.Errorf("%w: %s has %d MB left, less than %d; make room", errNoRoom, r.dir, usage.AvailBytes>>20, leastRoom>>20)
	}
	return r.lack
}
