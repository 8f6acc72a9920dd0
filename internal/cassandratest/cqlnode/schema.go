package cqlnode

import (
	"cmp"
	"encoding/binary"
	"slices"
)

type columnKind int

const (
	partitionKey columnKind = iota
	clustering
	static
	regular
)

func (k columnKind) String() string {
	return [...]string{"partition_key", "clustering", "static", "regular"}[k]
}

// column is a column of a table. Its position counts those of its part of the key.
type column struct {
	name       string
	typ        dataType
	kind       columnKind
	position   int
	descending bool
}

// isSet reports whether each element has a cell of its own.
func (c *column) isSet() bool { return c.typ.collection() && !c.typ.frozen }

// keyspace holds tables.
type keyspace struct {
	name        string
	replication map[string]string
	tables      map[string]*table
}

// table is a table with its rows.
type table struct {
	keyspace, name string
	columns        []*column // in the order of SELECT *
	partitionKey   []*column
	clustering     []*column
	ttl            int
	changes        int // of its columns
	byKey          map[string]*partition
	partitions     []*partition // in the order of their tokens
}

func newTable(keyspace string, c *createTable) (*table, error) {
	t := &table{keyspace: keyspace, name: c.name.table, ttl: c.ttl}
	for _, d := range c.columns {
		t.columns = append(t.columns, newColumn(d))
	}
	if err := t.keyed(&t.partitionKey, c.partitionKey, partitionKey); err != nil {
		return nil, err
	}
	if err := t.keyed(&t.clustering, c.clustering, clustering); err != nil {
		return nil, err
	}
	for _, column := range t.clustering {
		column.descending = c.descending[column.name]
	}
	t.arrange()
	t.empty()
	return t, nil
}

func newColumn(d columnDefinition) *column {
	c := &column{name: d.name, typ: d.typ, kind: regular}
	if d.static {
		c.kind = static
	}
	return c
}

// keyed makes columns a part of the key.
func (t *table) keyed(part *[]*column, names []string, kind columnKind) error {
	for i, name := range names {
		c := t.column(name)
		if c == nil {
			return invalid("the key's column %s is not declared", name)
		}
		c.kind, c.position = kind, i
		*part = append(*part, c)
	}
	return nil
}

func (t *table) arrange() {
	slices.SortFunc(t.columns, func(a, b *column) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.position, b.position), cmp.Compare(a.name, b.name))
	})
}

func (t *table) empty() { t.byKey, t.partitions = map[string]*partition{}, nil }

// column returns nil where there is none of that name.
func (t *table) column(name string) *column {
	i := slices.IndexFunc(t.columns, func(c *column) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return t.columns[i]
}

// add is nil where it stands already.
func (t *table) add(d columnDefinition) error {
	if t.column(d.name) != nil {
		return invalid("the column %s stands already", d.name)
	}
	t.columns = append(t.columns, newColumn(d))
	t.arrange()
	t.changes++
	return nil
}

func (t *table) drop(name string) error {
	c := t.column(name)
	if c == nil || c.kind < static {
		return invalid("the column %s can't be dropped", name)
	}
	t.columns = slices.DeleteFunc(t.columns, func(o *column) bool { return o == c })
	t.changes++
	return nil
}

// compareRows orders clustering keys as the table does.
func (t *table) compareRows(a, b [][]byte) int {
	for i, c := range t.clustering {
		if order := c.typ.compare(a[i], b[i]); order != 0 {
			if c.descending {
				return -order
			}
			return order
		}
	}
	return 0
}

// raw is a partition key in one piece, as a node hashes it.
func raw(key [][]byte) string {
	if len(key) == 1 {
		return string(key[0])
	}
	var b []byte
	for _, part := range key {
		b = append(append(binary.BigEndian.AppendUint16(b, uint16(len(part))), part...), 0)
	}
	return string(b)
}

// partition returns what is kept under a key, which it begins where there is nothing.
func (t *table) partition(key [][]byte) *partition {
	raw := raw(key)
	if p, known := t.byKey[raw]; known {
		return p
	}
	p := newPartition(key, raw)
	t.byKey[raw] = p
	i, _ := slices.BinarySearchFunc(t.partitions, p, (*partition).before)
	t.partitions = slices.Insert(t.partitions, i, p)
	return p
}
