package cassandra

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"broadsheet/internal/coalesce"
)

// batches makes the writes of commands that run at once in batches, so a lone command pays
// nothing.
//
// The writes of a batch succeed or fail together, and each command repeats its own: each has
// its own write time, so a repetition is harmless. A batch that Cassandra refuses as wrong is
// repeated write by write, so that one bad write harms no other.
type batches struct {
	next    coalesce.Next[*share, struct{}]
	execute func(ctx context.Context, entries ...bound) error
	shared  func(ctx context.Context, entries []bound, began time.Time, err error) // is told of each share of a batch
}

// share is what a command has in a batch.
type share struct {
	ctx     context.Context // of the command
	entries []bound
}

// A batch's coordinator works through it alone: one of very many small entries takes as long as
// they would one after the other.
const maxBatchEntries = 256

func (s *Store) newBatches(slots int, pause time.Duration) *batches {
	return newBatches(s.write, s.observeShare, slots, pause, s.log)
}

func newBatches(execute func(context.Context, ...bound) error, shared func(context.Context, []bound, time.Time, error), slots int, pause time.Duration, log *slog.Logger) *batches {
	b := &batches{execute: execute, shared: shared}
	b.next.Many, b.next.Slots, b.next.Pause = b.several, slots, pause
	b.next.Most, b.next.SizeOf = coalesce.Size{Count: maxBatchEntries, Bytes: maxBatchBytes}, (*share).size
	b.next.Limit, b.next.Again, b.next.Log = commandDeadline, wrong, log
	return b
}

// write writes entries, alone or with those of others, in batches of at most maxBatchBytes,
// and returns when they are written, or when ctx ends.
func (b *batches) write(ctx context.Context, entries []bound) error {
	for len(entries) > 0 {
		part, rest := splitBatch(entries)
		_, err := b.next.Do(ctx, &share{ctx, part}, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, b.execute(ctx, part...)
		})
		if err != nil {
			return err
		}
		entries = rest
	}
	return nil
}

// several writes the shares of several commands. The batch is observed by itself, under the
// values of none of them, and each of them observes its share.
func (b *batches) several(ctx context.Context, shares []*share) (map[*share]struct{}, error) {
	began := time.Now()
	var entries []bound
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
		size.Bytes += entry.size()
	}
	return size
}

// withoutValues is a context that ends with another and has none of its values.
type withoutValues struct{ context.Context }

func (withoutValues) Value(any) any { return nil }

// newest leaves out those of several writes of the same cells that a newer one of them
// replaces: the copies of a hot post's count.
func newest(entries []bound) []bound {
	last := make(map[cells]int64, len(entries))
	for _, entry := range entries {
		if entry.copy {
			last[entry.cells()] = max(last[entry.cells()], entry.stamp())
		}
	}
	return slices.DeleteFunc(entries, func(entry bound) bool {
		if !entry.copy {
			return false
		}
		stamp, wanted := last[entry.cells()]
		if !wanted || stamp > entry.stamp() {
			return true
		}
		delete(last, entry.cells())
		return false
	})
}

// cells names what an upsert writes: its statement, and its row.
type cells struct {
	cql string
	row row
}

func (b bound) cells() cells { return cells{b.cql, b.row} }

// stamp returns the write time of a copy.
func (b bound) stamp() int64 {
	stamp, _ := b.args[0].(int64)
	return stamp
}
