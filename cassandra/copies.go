package cassandra

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
)

// partitionKeys says how many of the columns of a group's key are the partition's.
var partitionKeys = func() map[*blog.Group]int {
	keys := map[*blog.Group]int{}
	for _, g := range blog.Groups() {
		keys[g] = len(g.Table.PartitionKey())
	}
	return keys
}()

// bind returns the statement that makes a copy.
func bind(c blog.Copy) bound {
	st := upserts[c.Group]
	if c.Deletes() {
		st = deletes[c.Group]
	}
	args := make([]any, 0, 1+len(c.Values)+len(c.Key))
	args = append(args, c.Stamp)
	for _, value := range c.Values {
		args = append(args, argument(value))
	}
	where := row{partition: partitionKeys[c.Group]}
	for i, value := range c.Key {
		where.key[i] = argument(value)
		args = append(args, where.key[i])
	}
	return bound{statement: st, args: args, row: where, copy: true}
}

func argument(value any) any {
	switch v := value.(type) {
	case blog.UserID:
		return id(v.UUID)
	case blog.PostID:
		return id(v.UUID)
	case blog.CommentID:
		return id(v.UUID)
	case string, *string, int, bool, time.Time:
		return v
	default:
		panic(fmt.Sprintf("cassandra: a copy holds a %T", value))
	}
}

// Cassandra refuses a batch over several partitions above 50 KiB
// (batch_size_fail_threshold); views are written in parts well below.
const maxBatchBytes = 32 << 10

// writeCopies writes copies in as few batches as their size allows. The order does
// not matter and a repetition is harmless, so after an error it may be called again.
func (s *Store) writeCopies(ctx context.Context, copies []blog.Copy) error {
	entries := make([]bound, len(copies))
	for i, c := range copies {
		entries[i] = bind(c)
	}
	return s.writeParts(ctx, entries)
}

func (s *Store) writeParts(ctx context.Context, entries []bound) error {
	for len(entries) > 0 {
		part, rest := splitBatch(entries)
		if err := s.write(ctx, part...); err != nil {
			return err
		}
		entries = rest
	}
	return nil
}

// splitBatch returns the first entries that fit into one batch, at least one, and the
// others.
func splitBatch(entries []bound) (part, rest []bound) {
	n, size := 1, entries[0].size()
	for n < len(entries) && size+entries[n].size() <= maxBatchBytes {
		size += entries[n].size()
		n++
	}
	return entries[:n:n], entries[n:]
}

// size is about what an entry adds to its batch, in bytes, and not less.
func (b bound) size() int {
	n := 0
	for _, arg := range b.args {
		switch v := arg.(type) {
		case string:
			n += len(v)
		case *string:
			if v != nil {
				n += len(*v)
			}
		}
		n += 32
	}
	return n
}
