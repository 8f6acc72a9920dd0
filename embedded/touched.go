package embedded

import (
	"hash/maphash"
	"slices"

	"broadsheet/blog"
)

// touched counts what a command writes, for the observer: each row and each partition once,
// however many of their cells it writes.
type touched struct {
	tables []blog.TableCost
	seen   map[uint64]struct{} // hashes of the keys of rows and partitions
}

var touchedSeed = maphash.MakeSeed()

// row counts what a key names: a cell, or a whole partition.
func (w *touched) row(t *table, key []byte) {
	partition := key[:t.partitionLength(key)]
	at := maphash.Bytes(touchedSeed, partition)
	row := at + 1 // the whole of it
	if len(key) > len(partition) {
		row = maphash.Bytes(touchedSeed, key[:len(key)-1]) // its last byte is the cell
	}
	if !w.first(row) {
		return
	}
	cost := w.of(t.name)
	cost.Rows++
	if w.first(at) {
		cost.Partitions++
	}
}

// first reports whether a hash comes for the first time.
func (w *touched) first(hash uint64) bool {
	known := len(w.seen)
	if w.seen == nil {
		w.seen = make(map[uint64]struct{}, 32) // a command that changes one thing touches less
	}
	w.seen[hash] = struct{}{}
	return len(w.seen) > known
}

func (w *touched) of(name blog.Table) *blog.TableCost {
	i := slices.IndexFunc(w.tables, func(c blog.TableCost) bool { return c.Table == name })
	if i < 0 {
		i, w.tables = len(w.tables), append(w.tables, blog.TableCost{Table: name})
	}
	return &w.tables[i]
}
