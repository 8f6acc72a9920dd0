package httpapi

import (
	"sync"

	"broadsheet/resolvers"
)

// data is that of an answer, which takes room for large ones once, however many requests are
// answered with it: from when the first of them holds it until the last one is written.
type data struct {
	mu      sync.Mutex
	text    []byte // JSON
	escaped bool
	holders int
	share   *resolvers.Share // of the room, while there are holders
}

// hold returns the data as it is written; false where there is no room for it, and for what
// escaping makes of it. Release it.
func (d *data) hold(room *resolvers.Room) (text []byte, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holders == 0 {
		share := room.Writing()
		if !share.Take(2*len(d.text) + specials(d.text)*escapedBy) {
			share.Free()
			return nil, false
		}
		d.share = share
	}
	d.holders++
	if !d.escaped {
		d.text, d.escaped = escaped(d.text), true
	}
	return d.text, true
}

// release ends what hold began.
func (d *data) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holders--; d.holders == 0 {
		d.share.Free()
	}
}
