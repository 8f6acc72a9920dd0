// Package memory bounds what the answers of a server take of memory.
//
// A budget is what all large answers may take together. Each has a reservation in it while it
// is made, for what was read for it and what was written, and then, once however many clients
// are sent it, one until the last of them has read it:
//
//	rows wait ──▶ read ──▶ make ──┤ Release
//	              └─ reserve ───┘ └─ reserve ──▶ send ──┤ Release
//
// Reads of rows with long texts wait for others, for what they hold is known only when they
// have ended. Answers never wait: one for which there is no memory is refused, and what it had
// reserved is free at once. Small answers are never refused.
package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Budget is what answers may take of memory. It is safe for concurrent use.
type Budget struct {
	answer, answers int64
	reserved        atomic.Int64
	rows            *semaphore.Weighted // being read for all answers
}

// New returns a budget in which an answer has at most so many bytes, and all that are larger
// than 256 KiB so many together, about. 0: any number.
func New(answer, answers int64) *Budget {
	return &Budget{answer: answer, answers: answers, rows: semaphore.NewWeighted(rowsOfAllAtOnce)}
}

const (
	// small is how much of an answer needs no reservation, in bytes.
	small = 256 << 10

	// How many rows with long texts may be being read at a time, and so what is held beyond
	// the budget.
	rowsAtOnce      = 1_000          // for one answer: ten pages, of 4 MB at most
	rowsOfAllAtOnce = 8 * rowsAtOnce // for all
)

// Reservation is what one answer takes of the budget. It is safe for concurrent use.
type Reservation struct {
	budget *Budget
	limit  int64 // of what is spent; 0: none
	most   int64 // of what is reserved in the budget

	first sync.Once
	rows  *semaphore.Weighted // being read for this answer; after first

	mu             sync.Mutex
	spent          int64
	wanted         int64
	reserved       int64 // twice as much whenever more is wanted
	full, released bool
}

// Making returns a reservation for an answer while it is made, which is to be released. Half
// of the budget is for these, so that an answer that was made finds memory to be sent.
func (b *Budget) Making() *Reservation {
	return &Reservation{budget: b, limit: b.answer, most: b.answers / 2, reserved: small}
}

// Sending returns a reservation for an answer while it is sent, which is to be released.
func (b *Budget) Sending() *Reservation {
	return &Reservation{budget: b, most: b.answers, reserved: small}
}

// ErrFull says that the budget has no memory for an answer.
var ErrFull = errors.New("too many large answers are on their way: try again later, or ask for shorter pages")

// TooLarge says that an answer has more bytes than an answer may have.
type TooLarge struct{ Limit int64 }

func (t TooLarge) Error() string {
	return fmt.Sprintf("the answer is larger than %d bytes: ask for shorter pages, or for less of each row", t.Limit)
}

// Reserve takes bytes more of the budget. It is false where they are not there, and from then
// on; what was reserved is free at once, for other answers that may yet be finished. Memory is
// reserved ahead, so that an answer that is refused was not written far. What is read after
// Release, as nothing waits for it any more, takes nothing.
func (r *Reservation) Reserve(bytes int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reserve(bytes)
}

func (r *Reservation) reserve(bytes int) bool {
	if r.released || r.budget.answers == 0 {
		return !r.full
	}
	r.wanted += int64(bytes)
	before := r.reserved
	for r.reserved < r.wanted {
		r.reserved *= 2
	}
	if more := r.reserved - before; more > 0 && r.budget.reserved.Add(more) > r.most {
		r.full = true
		r.release()
	}
	return !r.full
}

// Spend is Reserve for bytes that count as the answer's own, of which it may have so many. It
// is false, too, where it has more.
func (r *Reservation) Spend(bytes int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.reserve(bytes) {
		return false
	}
	r.spent += int64(bytes)
	return r.err() == nil
}

// Err says why the answer is refused, by [ErrFull] or a [TooLarge]; nil: it is not.
func (r *Reservation) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err()
}

func (r *Reservation) err() error {
	switch {
	case r.full:
		return ErrFull
	case r.limit > 0 && r.spent > r.limit:
		return TooLarge{r.limit}
	}
	return nil
}

// BeginRows waits until so many rows with long texts may be read, as long as ctx lasts.
// EndRows, with as many, says that they were read and reserved.
func (r *Reservation) BeginRows(ctx context.Context, rows int) error {
	r.first.Do(func() { r.rows = semaphore.NewWeighted(rowsAtOnce) })
	if err := r.rows.Acquire(ctx, weight(rows)); err != nil {
		return err
	}
	if err := r.budget.rows.Acquire(ctx, weight(rows)); err != nil {
		r.rows.Release(weight(rows))
		return err
	}
	return nil
}

// EndRows is called once after each BeginRows that returned nil.
func (r *Reservation) EndRows(rows int) {
	r.budget.rows.Release(weight(rows))
	r.rows.Release(weight(rows))
}

// weight is that of a read in the semaphores: one of more rows than may be read goes alone.
func weight(rows int) int64 { return min(int64(rows), rowsAtOnce) }

// Release gives back what was reserved.
func (r *Reservation) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release()
}

func (r *Reservation) release() {
	if !r.released {
		r.budget.reserved.Add(small - r.reserved)
	}
	r.released = true
}
