package embedded

import (
	"hash/maphash"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

var touchedSeed = maphash.MakeSeed()

// mostKept bounds the memory that is kept for the next command: a deleted post may have a million rows.
const mostKept = 1_000

// touched is memory for one command after the other: hashes of the keys of rows and partitions.
type touched map[uint64]struct{}

// by counts what a batch writes, for the observer: each row and each partition once, however many of their
// cells it writes.
func (seen *touched) by(batch *pebble.Batch) (costs []blog.TableCost) {
	if *seen == nil || len(*seen) > mostKept {
		*seen = touched{}
	}
	clear(*seen)
	costs = make([]blog.TableCost, 0, len(blog.Declarations)/2)
	first := func(hash uint64) bool {
		known := len(*seen)
		(*seen)[hash] = struct{}{}
		return len(*seen) > known
	}
	for reader := batch.Reader(); ; {
		_, key, _, more, err := reader.Next()
		if !more || err != nil {
			return costs
		}
		if len(key) == 0 { // a record that writes nothing
			continue
		}
		t := taken[key[0]]
		n := t.partitionLength(key)
		partition := maphash.Bytes(touchedSeed, key[:n])
		row := partition + 1 // the whole of it
		if len(key) > n {
			row = maphash.Bytes(touchedSeed, key[:len(key)-1]) // its last byte is the cell
		}
		if !first(row) {
			continue
		}
		at := slices.IndexFunc(costs, func(c blog.TableCost) bool { return c.Table == t.name })
		if at < 0 {
			at, costs = len(costs), append(costs, blog.TableCost{Table: t.name})
		}
		costs[at].Rows++
		if first(partition) {
			costs[at].Partitions++
		}
	}
}
