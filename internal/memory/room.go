package memory

import "sync"

// Share is what a client has of a room. Only that room changes it.
type Share struct {
	held int64 // bytes
	free int   // reservations whose first bytes take no room
}

// Room is so many bytes of memory that clients share. It is safe for concurrent use.
type Room struct {
	bytes int64 // 0: any number
	small int64 // of a reservation, that take no room

	mu    sync.Mutex
	taken int64
}

// freeOfAClient is of how many of a client's reservations at a time the first bytes take no room.
const freeOfAClient = 64

// NewRoom returns a room of so many bytes, 0: any number, in which the first of each reservation
// take nothing, unless its client has many.
func NewRoom(bytes, small int64) *Room {
	return &Room{bytes: bytes, small: small}
}

// Reserve returns a reservation of a client that has a share, nil: none yet, which is to be released.
func (r *Room) Reserve(share *Share) *Reservation {
	if share == nil {
		share = &Share{}
	}
	return &Reservation{room: r, share: share, fair: true}
}

// begin returns how many of a reservation's first bytes take no room.
func (r *Room) begin(share *Share) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if share.free == freeOfAClient {
		return 0
	}
	share.free++
	return r.small
}

// end ends what begin began.
func (r *Room) end(share *Share) {
	r.mu.Lock()
	defer r.mu.Unlock()
	share.free--
}

// take takes bytes for a client, which may be below 0. It is false where they are not there, or,
// where the room is to be shared fairly, where the client would hold more than it leaves.
func (r *Room) take(share *Share, bytes int64, fair bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken, held := r.taken+bytes, share.held+bytes
	if bytes > 0 && (taken > r.bytes || fair && held > r.bytes-taken) {
		return false
	}
	r.taken, share.held = taken, held
	return true
}

// Reservation is what one answer, or one body, takes of a room. It is safe for concurrent use.
type Reservation struct {
	room  *Room
	share *Share // of the client
	fair  bool   // the client gets no more

	mu             sync.Mutex
	wanted         int64
	free           int64 // that take no room
	reserved       int64 // those among them
	full, released bool
}

// How many bytes are reserved ahead.
const (
	leastAhead = 4 << 10
	mostAhead  = 1 << 20
)

// Reserve takes bytes more of the room. It is false where they are not there, and from then on;
// what was reserved is free at once, for others that may yet be finished. Memory is reserved
// ahead, so that an answer that is refused was not written far. What is read after Release, as
// nothing waits for it any more, takes nothing.
func (r *Reservation) Reserve(bytes int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.released || r.room.bytes == 0 {
		return !r.full
	}
	if r.wanted == 0 && bytes > 0 {
		r.free = r.room.begin(r.share)
		r.reserved = r.free
	}
	r.wanted += int64(bytes)
	ahead := r.reserved
	for ahead < r.wanted {
		ahead = max(ahead+min(ahead, mostAhead), leastAhead)
	}
	switch {
	case ahead == r.reserved:
	case r.room.take(r.share, ahead-r.reserved, r.fair):
		r.reserved = ahead
	default:
		r.full = true
		r.release()
	}
	return !r.full
}

// Full reports whether the room had no memory.
func (r *Reservation) Full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

// Release gives back what was reserved.
func (r *Reservation) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release()
}

func (r *Reservation) release() {
	if !r.released && r.reserved > r.free {
		r.room.take(r.share, r.free-r.reserved, r.fair)
	}
	if !r.released && r.free > 0 {
		r.room.end(r.share)
	}
	r.released = true
}
