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
	few    []uint64            // hashes of the keys of rows and partitions
	many   map[uint64]struct{} // the same, where there are more: a deleted post may have a million
}

// What a command touches that changes one thing is less.
const (
	fewKeys          = 32
	tablesOfACommand = 8
)

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
	if slices.Contains(w.few, hash) {
		return false
	}
	if w.few == nil {
		w.few = make([]uint64, 0, fewKeys)
	}
	if len(w.few) < fewKeys {
		w.few = append(w.few, hash)
		return true
	}
	if w.many == nil {
		w.many = map[uint64]struct{}{}
	}
	_, known := w.many[hash]
	w.many[hash] = struct{}{}
	return !known
}

func (w *touched) of(name blog.Table) *blog.TableCost {
	for i := range w.tables {
		if w.tables[i].Table == name {
			return &w.tables[i]
		}
	}
	if w.tables == nil {
		w.tables = make([]blog.TableCost, 0, tablesOfACommand)
	}
	w.tables = append(w.tables, blog.TableCost{Table: name})
	return &w.tables[len(w.tables)-1]
}
