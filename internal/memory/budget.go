// Package memory bounds what the requests and the answers of a server take of memory.
//
// A [Room] is so many bytes that clients share. A client may hold as many as it then leaves
// free: alone it gets half of a room, and the next one half of the rest. So there is always
// something left for one that comes, and no share to configure (a dynamic threshold with a
// factor of one: Choudhury and Hahne, 1998).
//
// Answers have a [Budget]. Each has a reservation in its room while it is made, for what was read
// for it and what was written, and then, once however many clients are sent it, one until the
// last of them has read it:
//
//	rows wait ──▶ read ──▶ make ──┤ Release
//	              └─ reserve ───┘ └─ reserve ──▶ send ──┤ Release
//
// Reads of rows with long texts wait for others, for what they hold is known only when they
// have ended. Answers never wait: one for which there is no memory is refused, and what it had
// reserved is free at once. Small answers are refused only where their client has many on their way.
package memory

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"broadsheet/internal/refusal"
)

// Budget is what answers may take of memory. It is safe for concurrent use.
type Budget struct {
	answer int64 // of what one has written, and of what is read for it; 0: any number
	room   *Room
	rows   *semaphore.Weighted // being read
}

// New returns a budget in which an answer has at most so many bytes, and all that are larger
// than 256 KiB so many together, about. 0: any number.
func New(answer, answers int64) *Budget {
	return &Budget{answer: answer, room: NewRoom(answers, small), rows: semaphore.NewWeighted(rowsAtOnce)}
}

const (
	// small is how much of an answer needs no reservation, in bytes.
	small = 256 << 10

	// rowsAtOnce is how many rows with long texts may be being read at a time, and so what is held beyond the
	// budget: eighty pages, of 4 MB at most. How many of them an operation has is bounded by what it may cost, and
	// from where that is large by the reads that its client has at a time.
	rowsAtOnce = 8_000
)

// Making is what an answer takes of the budget while it is made. It is safe for concurrent use.
type Making struct {
	*Reservation
	budget *Budget
	Payer  Payer // for what is written and read; nil: nothing pays. It is set before the first

	spent  atomic.Int64 // bytes that were written
	held   atomic.Int64 // bytes of texts that were read
	unpaid atomic.Bool
}

// Payer pays for bytes that are written, or for a sixteenth of those that are read, which takes about as long.
type Payer interface{ Write(bytes int) bool } // false: it can't

// Making returns what an answer takes while it is made for a client, which is to be released.
func (b *Budget) Making(share *Share) *Making {
	return &Making{Reservation: b.room.Reserve(share), budget: b}
}

// Sending returns a reservation for an answer while it is sent, which is to be released. The
// answer had memory while it was made, so its client's share is not asked for again.
func (b *Budget) Sending(share *Share) *Reservation {
	r := b.room.Reserve(share)
	r.fair = false
	return r
}

// ErrFull says that the room has no memory for an answer.
var ErrFull = refusal.Beyond(refusal.CodeUnavailable, "answers", "too many large answers are on their way: try again later, or ask for shorter pages")

// ErrUnpaid says that the client can't pay for more of the answer.
var ErrUnpaid = refusal.Beyond(refusal.CodeRateLimited, "work", "the answer is more work than the client's budget has left: ask for shorter pages, or try again later")

// Spend is Reserve for bytes that are written, of which an answer may have so many. It is false,
// too, where it has more, and where they are not paid.
func (m *Making) Spend(bytes int) bool { return m.count(&m.spent, bytes, bytes) }

// Hold is Spend for bytes of texts that were read, of which an answer may hold so many.
func (m *Making) Hold(bytes int) bool { return m.count(&m.held, bytes, bytes/16) }

func (m *Making) count(counted *atomic.Int64, bytes, paid int) bool {
	counted.Add(int64(bytes))
	if m.Payer != nil && !m.Payer.Write(paid) {
		m.unpaid.Store(true)
		return false
	}
	return m.Reserve(bytes) && m.Err() == nil
}

// Err says why the answer is refused; nil: it is not.
func (m *Making) Err() *refusal.Error {
	switch most := m.budget.answer; {
	case m.Full():
		return ErrFull
	case m.unpaid.Load():
		return ErrUnpaid
	case most > 0 && max(m.spent.Load(), m.held.Load()) > most:
		return refusal.Beyond(refusal.CodeTooComplex, "answer", fmt.Sprintf("the answer is larger than %d bytes: ask for shorter pages, or for less of each row", most))
	}
	return nil
}

// BeginRows waits until so many rows with long texts may be read, as long as ctx lasts.
// EndRows, with as many, says that they were read and reserved.
func (m *Making) BeginRows(ctx context.Context, rows int) error {
	return m.budget.rows.Acquire(ctx, int64(rows))
}

// EndRows is called once after each BeginRows that returned nil.
func (m *Making) EndRows(rows int) { m.budget.rows.Release(int64(rows)) }

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
