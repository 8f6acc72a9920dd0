package embedded

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"broadsheet/blog"
)

// A column of a partition key is written so that no value's bytes begin another's, a
// clustering column so that the bytes have the order of the values:
//
//	            in a partition key         in a clustering key
//	text        length, bytes              not there
//	number      four bytes                 eight bytes, the sign inverted
//	time        milliseconds in eight bytes, the sign inverted
//	id          sixteen bytes
//	path        not there                  two before each id, one at the end
//
// All bits of a descending column are inverted. Keys that begin with the same columns are
// neighbours: a range of keys is a slice of the partition.

// table says how the keys of one table are written; doc.go has the picture.
type table struct {
	name       blog.Table
	prefix     byte
	partition  []blog.ColumnType
	clustering []column
	cells      byte // how many cells a row may have
}

// column is a clustering column.
type column struct {
	blog.ColumnType
	inverted byte // what each byte is combined with: 0xff where the column is descending
}

// The cells of truths.
const (
	truthCell   = 1 // the object, in a row of any table that holds truths
	contentCell = 2 // of a post: apart, so that a like needn't read it
	countCell   = 1 // above the rows of a partition: how many stand, in comments_by_post and like_claims
)

// What follows the partition key in a key: static cells sort before the rows.
const (
	staticMark = 0x00
	rowMark    = 0x01
	endMark    = 0x02 // above every key of the partition
)

// pastCells is above every cell of a row.
const pastCells = 0xff

var errKey = errors.New("a stored key can't be read: it is damaged")

// errCell is of a row with a cell that its table does not have.
var errCell = errors.New("a stored row has a cell too many: it is damaged")

// partitionKey returns what all keys of a partition begin with.
func (t *table) partitionKey(values ...any) []byte {
	return t.appendPartition(make([]byte, 0, 64), values...)
}

func (t *table) appendPartition(key []byte, values ...any) []byte {
	if len(values) != len(t.partition) {
		panic(fmt.Sprintf("embedded: %d values for the %d columns of a partition of %s", len(values), len(t.partition), t.name))
	}
	key = append(key, t.prefix)
	for _, value := range values {
		key = appendPartitionColumn(key, value)
	}
	return key
}

// appendRowKey appends what the keys of a row's cells begin with.
func (t *table) appendRowKey(key []byte, values ...any) []byte {
	n := len(t.partition)
	if len(values) != n+len(t.clustering) {
		panic(fmt.Sprintf("embedded: %d values for the %d columns of a row of %s", len(values), n+len(t.clustering), t.name))
	}
	return t.appendRows(t.appendPartition(key, values[:n]...), values[n:]...)
}

// appendRows makes a partition's key what the keys of those of its rows begin with that have
// these values in their first clustering columns: of one row, where all are given.
func (t *table) appendRows(partition []byte, clustering ...any) []byte {
	key := append(partition, rowMark)
	for i, value := range clustering {
		start := len(key)
		key = appendOrdered(key, value)
		t.clustering[i].invert(key[start:])
	}
	return key
}

// cellKey returns the key of a cell: of a row, or above the rows where the values are those of a partition alone.
func (t *table) cellKey(cell byte, values ...any) []byte {
	return t.appendCell(make([]byte, 0, 64), cell, values...)
}

func (t *table) appendCell(key []byte, cell byte, values ...any) []byte {
	if len(values) == len(t.partition) && len(t.clustering) > 0 {
		key = append(t.appendPartition(key, values...), staticMark)
	} else {
		key = t.appendRowKey(key, values...)
	}
	return append(key, cell)
}

// has reports whether a row of the table may have a cell.
func (t *table) has(cell byte) bool { return cell >= 1 && cell <= t.cells }

func appendPartitionColumn(key []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return appendText(key, v)
	case int:
		if v < math.MinInt32 || v > math.MaxInt32 {
			panic("embedded: a key holds a number above 32 bits")
		}
		return binary.BigEndian.AppendUint32(key, uint32(v))
	default:
		return appendOrdered(key, value)
	}
}

// appendOrdered writes a value whose bytes have the order of the values, lower numbers and times below 0 first.
func appendOrdered(key []byte, value any) []byte {
	switch v := value.(type) {
	case int:
		return binary.BigEndian.AppendUint64(key, uint64(v)^1<<63)
	case time.Time:
		return binary.BigEndian.AppendUint64(key, uint64(v.UnixMilli())^1<<63)
	case blog.Path:
		return append(appendPath(key, v), pathEnd)
	}
	id, isID := blog.IDOf(value)
	if !isID {
		panic("embedded: a key holds a " + reflect.TypeOf(value).String()) // by fmt, every key's values would be on the heap
	}
	return append(key, id[:]...)
}

// What stands before each id of a path, and behind the last: a comment's own cells sort before what is below it.
const (
	pathEnd  = 0x01
	pathPart = 0x02
)

// appendPath writes the beginning of a path, of which it may end within an id.
func appendPath(key []byte, p blog.Path) []byte {
	const size = len(blog.UUID{})
	for ; p != ""; p = p[min(size, len(p)):] {
		key = append(append(key, pathPart), p[:min(size, len(p))]...)
	}
	return key
}

// pathLength returns how many bytes the path has that a key begins with, 0 where it begins with none.
func pathLength(key []byte) int {
	for n := 0; n < len(key); n += 1 + len(blog.UUID{}) {
		switch {
		case key[n] == pathEnd && n > 0:
			return n + 1
		case key[n] != pathPart:
			return 0
		}
	}
	return 0
}

func readPath(key []byte) (p blog.Path) {
	for ; key[0] == pathPart; key = key[1+len(blog.UUID{}):] {
		p += blog.Path(key[1 : 1+len(blog.UUID{})])
	}
	return p
}

func (c column) invert(b []byte) {
	for i := range b {
		b[i] ^= c.inverted
	}
}

// after returns the lowest key above all that begin with a key of rows.
func after(rows []byte) []byte {
	end := bytes.Clone(rows)
	for end[len(end)-1] == 0xff { // before the mark of rows it ends
		end = end[:len(end)-1]
	}
	end[len(end)-1]++
	return end
}

// parsedKey is a key taken apart.
type parsedKey struct {
	values []any
	static bool
	cell   byte
}

// parse takes a key of the table apart. Queries never need it: they know the
// partition, and read the columns of a row by [row.columns].
func (t *table) parse(key []byte) (k parsedKey, ok bool) {
	if len(key) == 0 || key[0] != t.prefix {
		return k, false
	}
	key = key[1:]
	for _, c := range t.partition {
		n := partitionLength(c, key)
		if n == 0 {
			return k, false
		}
		k.values, key = append(k.values, partitionValue(c, key[:n])), key[n:]
	}
	if len(key) < 2 {
		return k, false
	}
	mark, columns := key[0], key[1:len(key)-1]
	k.static, k.cell = mark != rowMark, key[len(key)-1]
	if k.static {
		return k, mark == staticMark && len(columns) == 0 && len(t.clustering) > 0
	}
	if len(columns) != t.clusteringLength(columns) {
		return k, false
	}
	reader := columnReader{t.clustering, columns}
	for range t.clustering {
		k.values = append(k.values, reader.next())
	}
	return k, true
}

func partitionValue(t blog.ColumnType, key []byte) any {
	switch t {
	case blog.TypeText:
		_, n := binary.Uvarint(key)
		return string(key[n:])
	case blog.TypeInt:
		return int(int32(binary.BigEndian.Uint32(key)))
	default:
		return orderedValue(t, key)
	}
}

// orderedValue reads what appendOrdered wrote.
func orderedValue(t blog.ColumnType, key []byte) any {
	switch t {
	case blog.TypeInt:
		return int(readNumber(key))
	case blog.TypeTime:
		return readTime(key)
	default:
		return t.ID(blog.UUID(key))
	}
}

func readNumber(key []byte) int64 { return int64(binary.BigEndian.Uint64(key) ^ 1<<63) }

func readTime(key []byte) time.Time { return time.UnixMilli(readNumber(key)).UTC() }

// partitionLength returns how much of a key names its partition.
func (t *table) partitionLength(key []byte) int {
	n := 1
	for _, c := range t.partition {
		n += partitionLength(c, key[n:])
	}
	return n
}

// partitionLength returns how long the column is that a key begins with, 0 where it is none.
func partitionLength(t blog.ColumnType, key []byte) (n int) {
	switch t {
	case blog.TypeText:
		length, n := binary.Uvarint(key)
		if n <= 0 || n > 1 && key[n-1] == 0 || length > uint64(len(key)-n) { // a length is written in as few bytes as it takes
			return 0
		}
		return n + int(length)
	case blog.TypeInt:
		n = 4
	default:
		n = column{ColumnType: t}.length()
	}
	if n > len(key) {
		return 0
	}
	return n
}

// clusteringLength returns how many bytes the clustering columns have in a key whose columns begin so. A path is the only
// one of a table.
func (t *table) clusteringLength(columns []byte) (length int) {
	for _, c := range t.clustering {
		if c.ColumnType == blog.TypePath {
			return cmp.Or(pathLength(columns), len(columns)+1) // which no key has
		}
		length += c.length()
	}
	return length
}

// length returns how many bytes each value of the column has. A path has any number.
func (c column) length() int {
	switch c.ColumnType {
	case blog.TypeInt, blog.TypeTime:
		return 8
	}
	return len(blog.UUID{})
}

// columnReader reads the clustering columns of a key one after the other. The key was found to have them.
type columnReader struct {
	columns []column
	key     []byte
}

// skip passes the next column.
func (r *columnReader) skip() {
	r.columns, r.key = r.columns[1:], r.key[r.columns[0].length():]
}

// take returns the bytes of the next column: an id, or what begins with a number or a time.
func (r *columnReader) take() (b blog.UUID) {
	copy(b[:], r.key)
	r.columns[0].invert(b[:])
	r.skip()
	return b
}

// path reads a key's only column, a path.
func (r *columnReader) path() blog.Path { return readPath(r.key) }

// into reads the next column into a field.
func (r *columnReader) into(field any) {
	if at, isPath := field.(*blog.Path); isPath {
		*at = r.path()
		return
	}
	b := r.take()
	switch at := field.(type) {
	case *time.Time:
		*at = readTime(b[:])
	case *int:
		*at = int(readNumber(b[:]))
	default:
		*blog.IDAt(field) = b
	}
}

// next returns the next column as a value of a key.
func (r *columnReader) next() any {
	t := r.columns[0].ColumnType
	if t == blog.TypePath {
		return r.path()
	}
	b := r.take()
	return orderedValue(t, b[:])
}
