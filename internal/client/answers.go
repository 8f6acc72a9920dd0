package client

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"broadsheet/internal/refusal"
)

// Answers are what answers may take of memory. Each has a reservation in a room while it is made, for what was read
// for it and what was written, and then one until the last of the clients that are sent it has read it:
//
//	rows wait ──▶ read ──▶ make ──┤ Release
//	              └─ reserve ───┘ └─ reserve ──▶ send ──┤ Release
//
// Reads of rows with long texts wait for others, for what they hold is known only when they have ended. Answers never
// wait: one for which there is no memory is refused, and what it had reserved is free at once. Small answers are
// refused only where their client has many on their way.
type Answers struct {
	most int // bytes that one has written, and that are read for it; 0: any number
	room Room
	rows *semaphore.Weighted // being read
}

// NewAnswers returns a budget in which an answer has at most so many bytes, and all that are larger than 256 KiB so
// many together, about. 0: any number.
func NewAnswers(answer, answers int) *Answers {
	return &Answers{most: answer, room: Room{Most: answers, Small: smallAnswer, Full: errFull}, rows: semaphore.NewWeighted(rowsAtOnce)}
}

const (
	// smallAnswer is how much of an answer needs no reservation, in bytes.
	smallAnswer = 256 << 10

	// rowsAtOnce is how many rows with long texts may be being read at a time, and so what is held beyond the
	// budget: eighty pages, of 4 MB at most. What an operation may cost bounds its part, and of a large one the
	// reads that its client has at a time.
	rowsAtOnce = 8_000
)

// Making is what an answer takes of memory, and of its client's work, while it is made. Safe for concurrent use.
type Making struct {
	*Reservation
	of     *Answers
	Budget *Budget // pays for what is written and read; nil: nothing does. It is set before the first

	spent atomic.Int64 // bytes that were written
	held  atomic.Int64 // bytes of texts that were read
}

// Making returns what an answer takes while it is made for a client, which is to be released.
func (a *Answers) Making(share *Share) *Making {
	return &Making{Reservation: a.room.For(share, true), of: a}
}

// Sending returns a reservation for an answer while it is sent, which is to be released. Its client's share was asked
// for while it was made.
func (a *Answers) Sending(share *Share) *Reservation { return a.room.For(share, false) }

var errFull = refusal.New(refusal.CodeUnavailable, "too many large answers are on their way: try again later, or ask for shorter pages").Beyond("answers")

// ErrUnpaid says that the client can't pay for more of the answer.
var ErrUnpaid = refusal.New(refusal.CodeRateLimited, "the answer is more work than the client's budget has left: ask for shorter pages, or try again later").Beyond("work")

// Spend is Reserve for bytes that are written. It is false, too, where an answer has too many, and where they are not
// paid.
func (m *Making) Spend(bytes int) bool { return m.count(&m.spent, bytes, bytes) }

// Hold is Spend for bytes of texts that were read. A sixteenth of them is paid, which takes about as long to write.
func (m *Making) Hold(bytes int) bool { return m.count(&m.held, bytes, bytes/16) }

func (m *Making) count(counted *atomic.Int64, bytes, paid int) bool {
	total := counted.Add(int64(bytes))
	switch most := m.of.most; {
	case !m.Budget.Move(paid):
		m.Refuse(ErrUnpaid)
	case most > 0 && total > int64(most):
		m.Refuse(refusal.New(refusal.CodeTooComplex, fmt.Sprintf("the answer is larger than %d bytes: ask for shorter pages, or for less of each row", most)).Beyond("answer"))
	default:
		return m.Reserve(bytes) == nil
	}
	return false
}

// BeginRows waits until so many rows with long texts may be read, as long as ctx lasts. EndRows, with as many, says
// that they were read and reserved.
func (m *Making) BeginRows(ctx context.Context, rows int) error {
	return m.of.rows.Acquire(ctx, int64(rows))
}

// EndRows is called once after each BeginRows that returned nil.
func (m *Making) EndRows(rows int) { m.of.rows.Release(int64(rows)) }
