package cassandra

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
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
func bind(c blog.Copy) cql.Bound {
	st := upserts[c.Group]
	if c.Deletes() {
		st = deletes[c.Group]
	}
	args := make([]any, 0, 1+len(c.Values)+len(c.Key))
	args = append(args, c.Stamp)
	for _, value := range c.Values {
		args = append(args, argument(value))
	}
	where := cql.Row{Partition: partitionKeys[c.Group]}
	for i, value := range c.Key {
		where.Key[i] = argument(value)
		args = append(args, where.Key[i])
	}
	return cql.Bound{Statement: st, Args: args, Row: where, Copy: true}
}

func argument(value any) any {
	switch v := value.(type) {
	case blog.UserID:
		return cql.ID(v.UUID)
	case blog.PostID:
		return cql.ID(v.UUID)
	case blog.CommentID:
		return cql.ID(v.UUID)
	case string, *string, int, bool, time.Time:
		return v
	default:
		panic(fmt.Sprintf("cassandra: a copy holds a %T", value))
	}
}

// writeCopies writes copies in as few batches as their size allows. The order does
// not matter and a repetition is harmless, so after an error it may be called again.
func (s *Store) writeCopies(ctx context.Context, copies []blog.Copy) error {
	entries := make([]cql.Bound, len(copies))
	for i, c := range copies {
		entries[i] = bind(c)
	}
	return s.db.WriteParts(ctx, entries)
}
