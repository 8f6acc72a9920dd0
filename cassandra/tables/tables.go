package tables

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// Bind returns the statement that makes a copy.
func Bind(c blog.Copy) cql.Bound {
	of := copies[c.Family]
	st := of.upsert
	switch {
	case c.Deletes() && c.Family.Static():
		st = Clears[c.Family.Table]
	case c.Deletes():
		st = of.delete
	}
	args := make([]any, 0, 1+len(c.Values)+len(c.Key))
	args = append(args, c.Stamp)
	for i, value := range c.Values {
		args = append(args, ArgumentOf(c.Family.Columns[i], value))
	}
	where := cql.Row{Partition: of.partition}
	for i, value := range c.Key {
		where.Key[i] = Argument(value)
		args = append(args, where.Key[i])
	}
	return cql.Bound{Statement: st, Args: args, Row: where, Copy: true}
}

// ArgumentOf is Argument for a value of a column: a time that is none is null.
func ArgumentOf(column blog.Column, value any) any {
	if at, isTime := value.(time.Time); isTime && column.Type == blog.TypeOptionalTime && at.IsZero() {
		return nil
	}
	return Argument(value)
}

// Argument makes a value of a copy an argument of a statement.
func Argument(value any) any {
	if id, isID := blog.IDOf(value); isID {
		return cql.ID(id)
	}
	switch v := value.(type) {
	case string, *string, int, bool, time.Time:
		return v
	case blog.Path: // an empty one, too, is a value: a null is a tombstone
		return string(v)
	default:
		panic(fmt.Sprintf("tables: a copy holds a %T", value))
	}
}

// Arguments makes values of copies arguments of a statement.
func Arguments(values []any) []any {
	args := make([]any, len(values))
	for i, value := range values {
		args[i] = Argument(value)
	}
	return args
}

// Write writes copies in as few batches as their size allows. The order does not matter and a
// repetition is harmless, so after an error it may be called again.
func Write(ctx context.Context, db *cql.Session, all []blog.Copy) error {
	entries := make([]cql.Bound, len(all))
	for i, c := range all {
		entries[i] = Bind(c)
	}
	return db.WriteParts(ctx, entries)
}

// Reads are the statements that read one table of copies.
type Reads struct {
	Scan cql.Statement // rows of a range of tokens
	Row  cql.Statement // a row, and at its end the write time of each column
	Head cql.Statement // what stands above the rows of a partition, and its first row's key; not every table has such
}

// Pages are the statements that read a list. The last three are of lists whose keys are ids, and
// whose deleted rows stay.
type Pages struct {
	Columns                []string      // of each row, before what stands above all
	Newest, Oldest         cql.Statement // rows of a span, so many: from its high end down, and from its low end up
	Some                   cql.Statement // rows with some keys
	NewestKeys, OldestKeys cql.Statement // keys of a span, each with what is 0 in a dead row
}
