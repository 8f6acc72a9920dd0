package client

import (
	"cmp"
	"math"
	"sync"

	"broadsheet/internal/refusal"
)

// Room is so much of something that clients share: bytes of memory, or what is open at a time. Safe for concurrent use.
//
// Of memory a client may hold as much as it then leaves free: alone half of a room, and the next one half of the rest.
// So there is always something left for one that comes, and no share to configure (a dynamic threshold with a factor
// of one: Choudhury and Hahne, 1998).
type Room struct {
	Most      int            // 0: any number
	PerClient int            // that one may hold; 0: as much as it leaves free
	Small     int            // of a reservation, that takes no room
	Full      *refusal.Error // where there is no more of it
	Beyond    *refusal.Error // where its client may have no more; nil: Full

	mu    sync.Mutex // also of all shares and reservations
	taken int
}

// Share is what a client has of a room. Only that room changes it.
type Share struct {
	held int
	free int // reservations of which what is small takes no room
}

// freeOfAClient is of how many of a client's reservations at a time what is small takes no room.
const freeOfAClient = 64

// For returns a reservation of a client, which is to be released. If it is fair the client gets no more than its part.
func (r *Room) For(share *Share, fair bool) *Reservation {
	return &Reservation{room: r, share: share, fair: fair}
}

// Taken returns how much is reserved.
func (r *Room) Taken() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken
}

// refuses says why one of the clients can't have so much, of what would be taken then.
func (r *Room) refuses(held, taken int, fair bool) *refusal.Error {
	part := r.PerClient
	switch {
	case r.Most > 0 && taken > r.Most:
		return r.Full
	case part == 0 && r.Most == 0:
		part = math.MaxInt
	case part == 0:
		part = r.Most - taken
	}
	if fair && held > part {
		return cmp.Or(r.Beyond, r.Full)
	}
	return nil
}

// Reservation is what one answer, one body or one connection takes of a room. It is safe for concurrent use.
type Reservation struct {
	room  *Room
	share *Share // of the client
	fair  bool   // the client gets no more

	wanted   int
	free     int // that takes no room
	reserved int // that included
	released bool
	refused  *refusal.Error // why nothing more is reserved
}

// Of has a reservation that has taken nothing yet be another client's.
func (r *Reservation) Of(share *Share, fair bool) {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	r.share, r.fair = share, fair
}

// mostAhead is how much is reserved ahead.
const mostAhead = 1 << 20

// Reserve takes more of the room, or says why it can't, and from then on: what was reserved is free at once. Memory is
// reserved ahead, so that an answer that is refused was not written far. What is read after Release takes nothing.
func (r *Reservation) Reserve(n int) *refusal.Error {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	if r.released {
		return r.refused
	}
	if r.wanted == 0 && n > 0 && r.room.Small > 0 && r.share.free < freeOfAClient {
		r.share.free++
		r.free, r.reserved = r.room.Small, r.room.Small
	}
	r.wanted += n
	ahead := r.reserved
	for ahead < r.wanted {
		ahead += min(max(ahead, 1), mostAhead)
	}
	more := ahead - r.reserved
	if more == 0 {
		return nil
	}
	taken, held := r.room.taken+more, r.share.held+more
	if refused := r.room.refuses(held, taken, r.fair); refused != nil {
		r.end(refused)
		return refused
	}
	r.room.taken, r.share.held, r.reserved = taken, held, ahead
	return nil
}

// Err says why nothing more is reserved; nil: it may be.
func (r *Reservation) Err() *refusal.Error {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	return r.refused
}

// Release gives back what was reserved.
func (r *Reservation) Release() { r.Refuse(nil) }

// Refuse is Release that says why nothing more is reserved.
func (r *Reservation) Refuse(why *refusal.Error) {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	r.end(why)
}

func (r *Reservation) end(why *refusal.Error) {
	r.refused = cmp.Or(r.refused, why)
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
