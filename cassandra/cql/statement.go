package cql

import (
	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// Statement is a prepared statement of one table. Its text is a constant, by which the driver caches it.
type Statement struct {
	Table blog.Table
	Text  string
}

// On returns a statement on a table.
func On(table blog.Table, text string) Statement { return Statement{Table: table, Text: text} }

// Bound is a statement with its arguments: one entry of a batch.
type Bound struct {
	Statement
	Args []any
	Row  Row  // that it writes; zero: one that no batch of several has among its entries
	Copy bool // its cells are a copy, whose write time is the first argument
}

// Row is a row by its key, or what is stored once above the rows of a partition.
type Row struct {
	Key       [3]any
	Partition int // how many of them are the partition's
}

// With binds arguments to a statement.
func (st Statement) With(args ...any) Bound { return Bound{Statement: st, Args: args} }

// Of names the row that an entry of a batch writes.
func (b Bound) Of(partition int, key ...any) Bound {
	b.Row.Partition = partition
	copy(b.Row.Key[:], key)
	return b
}

// Cells names what an upsert writes: its statement, and its row. It is comparable.
type Cells struct {
	text string
	row  Row
}

// Cells returns what the entry writes.
func (b Bound) Cells() Cells { return Cells{b.Text, b.Row} }

// Stamp returns the write time of a copy.
func (b Bound) Stamp() int64 {
	stamp, _ := b.Args[0].(int64)
	return stamp
}

// MaxBatchBytes is the size of the largest batch over several partitions. Cassandra refuses
// one above 50 KiB (batch_size_fail_threshold).
const MaxBatchBytes = 32 << 10

// Split returns the first entries that fit into one batch, at least one, and the others.
func Split(entries []Bound) (part, others []Bound) {
	n, size := 1, entries[0].Size()
	for n < len(entries) && size+entries[n].Size() <= MaxBatchBytes {
		size += entries[n].Size()
		n++
	}
	return entries[:n:n], entries[n:]
}

// Size is about what an entry adds to its batch, in bytes, and not less.
func (b Bound) Size() int {
	n := 0
	for _, arg := range b.Args {
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

// ID makes a UUID an argument.
func ID(u blog.UUID) gocql.UUID { return gocql.UUID(u) }

// IDs makes ids one argument.
func IDs[T any](ids []T) []gocql.UUID {
	all := make([]gocql.UUID, len(ids))
	for i, id := range ids {
		u, _ := blog.IDOf(id)
		all[i] = ID(u)
	}
	return all
}

// Into makes a UUID a destination.
func Into(u *blog.UUID) *gocql.UUID { return (*gocql.UUID)(u) }

// IntoText makes a text that may lack one.
func IntoText(t *blog.CopiedText) gocql.Unmarshaler { return (*copiedText)(t) }

type copiedText blog.CopiedText

// UnmarshalCQL is a method of [gocql.Unmarshaler].
func (t *copiedText) UnmarshalCQL(_ gocql.TypeInfo, data []byte) error {
	*t = copiedText{string(data), data != nil}
	return nil
}
