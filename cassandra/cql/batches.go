package cql

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"broadsheet/internal/coalesce"
)

// Batches makes the writes of commands that run at once in batches, so a lone command pays
// nothing.
//
// The writes of a batch succeed or fail together, and each command repeats its own: each has
// its own write time, so a repetition is harmless. A batch that Cassandra refuses as wrong is
// repeated write by write, so that one bad write harms no other.
type Batches struct {
	next    coalesce.Next[*share, struct{}]
	execute func(ctx context.Context, entries ...Bound) error
	shared  func(ctx context.Context, entries []Bound, began time.Time, err error)
}

// share is what a command has in a batch.
type share struct {
	ctx     context.Context // of the command
	entries []Bound
}

// A batch's coordinator works through it alone: one of very many small entries takes as long as
// they would one after the other.
const maxBatchEntries = 256

// Batches returns batches of a session, so many of them under way at once.
func (s *Session) Batches(slots int, log *slog.Logger) *Batches {
	return NewBatches(s.Write, s.ObserveShare, slots, log)
}

// NewBatches returns batches that are written by execute. shared is told of each share of one.
func NewBatches(execute func(context.Context, ...Bound) error, shared func(context.Context, []Bound, time.Time, error), slots int, log *slog.Logger) *Batches {
	b := &Batches{execute: execute, shared: shared}
	b.next.Many, b.next.Slots = b.several, slots
	b.next.Most, b.next.SizeOf = coalesce.Size{Count: maxBatchEntries, Bytes: MaxBatchBytes}, (*share).size
	b.next.Limit, b.next.Again, b.next.Log = CommandDeadline, Wrong, log
	return b
}

// Write writes entries, alone or with those of others, in batches of at most [MaxBatchBytes],
// and returns when they are written, or when ctx ends.
func (b *Batches) Write(ctx context.Context, entries []Bound) error {
	return b.write(ctx, entries, b.next.Do)
}

// WriteLater is Write, of entries that are in no hurry: they go with the next ones of others, or by themselves
// after a few milliseconds.
func (b *Batches) WriteLater(ctx context.Context, entries []Bound) error {
	return b.write(ctx, entries, b.next.Later)
}

func (b *Batches) write(ctx context.Context, entries []Bound, do batchedCall) error {
	for len(entries) > 0 {
		part, rest := Split(entries)
		_, err := do(ctx, &share{ctx, part}, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, b.execute(ctx, part...)
		})
		if err != nil {
			return err
		}
		entries = rest
	}
	return nil
}

// batchedCall is a method of [coalesce.Next] that makes a call.
type batchedCall func(context.Context, *share, func(context.Context) (struct{}, error)) (struct{}, error)

// several writes the shares of several commands. The batch is observed by itself, under the
// values of none of them, and each of them observes its share.
func (b *Batches) several(ctx context.Context, shares []*share) (map[*share]struct{}, error) {
	began := time.Now()
	var entries []Bound
	for _, s := range shares {
		entries = append(entries, s.entries...)
	}
	err := b.execute(withoutValues{ctx}, newest(entries)...)
	for _, s := range shares {
		b.shared(s.ctx, s.entries, began, err)
	}
	return nil, err
}

func (s *share) size() coalesce.Size {
	size := coalesce.Size{Count: len(s.entries)}
	for _, entry := range s.entries {
		size.Bytes += entry.Size()
	}
	return size
}

// withoutValues is a context that ends with another and has none of its values.
type withoutValues struct{ context.Context }

func (withoutValues) Value(any) any { return nil }

// newest leaves out a write of cells that a newer one of them replaces: the copies of a hot post's count.
func newest(entries []Bound) []Bound {
	last := make(map[Cells]int64, len(entries))
	for _, entry := range entries {
		if entry.Copy {
			last[entry.Cells()] = max(last[entry.Cells()], entry.Stamp())
		}
	}
	return slices.DeleteFunc(entries, func(entry Bound) bool {
		if !entry.Copy {
			return false
		}
		stamp, wanted := last[entry.Cells()]
		if !wanted || stamp > entry.Stamp() {
			return true
		}
		delete(last, entry.Cells())
		return false
	})
}
