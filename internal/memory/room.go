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

	mu    sync.Mutex // also of all shares and reservations
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

// Reservation is what one answer, or one body, takes of a room. It is safe for concurrent use.
type Reservation struct {
	room  *Room
	share *Share // of the client
	fair  bool   // the client gets no more

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

// Reserve takes bytes more of the room. It is false where they are not there, or, where the room is to be shared
// fairly, where the client would hold more than it leaves; and from then on: what was reserved is free at once, for
// others that may yet be finished. Memory is reserved ahead, so that an answer that is refused was not written far.
// What is read after Release, as nothing waits for it any more, takes nothing.
func (r *Reservation) Reserve(bytes int) bool {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	if r.released || r.room.bytes == 0 {
		return !r.full
	}
	if r.wanted == 0 && bytes > 0 && r.share.free < freeOfAClient {
		r.share.free++
		r.free, r.reserved = r.room.small, r.room.small
	}
	r.wanted += int64(bytes)
	ahead := r.reserved
	for ahead < r.wanted {
		ahead = max(ahead+min(ahead, mostAhead), leastAhead)
	}
	more := ahead - r.reserved
	taken, held := r.room.taken+more, r.share.held+more
	if more > 0 && (taken > r.room.bytes || r.fair && held > r.room.bytes-taken) {
		r.full = true
		r.release()
		return false
	}
	r.room.taken, r.share.held, r.reserved = taken, held, ahead
	return true
}

// Full reports whether the room had no memory.
func (r *Reservation) Full() bool {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	return r.full
}

// Release gives back what was reserved.
func (r *Reservation) Release() {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	r.release()
}

func (r *Reservation) release() {
	if r.released {
		return
	}
	r.released = true
	r.room.taken -= r.reserved - r.free
	r.share.held -= r.reserved - r.free
	if r.free > 0 {
		r.share.free--
	}
}
