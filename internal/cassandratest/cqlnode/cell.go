package cqlnode

import (
	"bytes"
	"cmp"
	"math"
)

// never is before every write time: nothing was written, or nothing deleted.
const never = math.MinInt64

// cell is what one column holds, or that it was deleted. Write times are in microseconds.
type cell struct {
	at      int64
	value   []byte // nil: a tombstone
	expires int64  // when it turns into one, in seconds; 0: not
	ttl     int64
	set     map[string]cell // of a set that is not frozen: a cell an element; at is its deletion
}

func (c cell) live(now int64) bool { return c.value != nil && (c.expires == 0 || now < c.expires) }

// perishes reports whether it is a tombstone, or will be one.
func (c cell) perishes() bool { return c.value == nil || c.expires != 0 }

// newer returns which of two cells of one column stands:
//
//	the later write ▶ a deletion ▶ what expires ▶ what expires later ▶ the larger value
func newer(a, b cell) cell {
	for _, order := range []int{
		cmp.Compare(a.at, b.at), first(a.perishes(), b.perishes()), first(a.value == nil, b.value == nil),
		cmp.Compare(a.expires, b.expires), bytes.Compare(a.value, b.value),
	} {
		if order > 0 {
			return a
		}
		if order < 0 {
			return b
		}
	}
	return a
}

// first orders what is true after what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// marker is an INSERT's trace in its row, which stands though all of its cells are null.
type marker struct {
	at      int64
	expires int64
}

func (m marker) live(now int64) bool { return m.at != never && (m.expires == 0 || now < m.expires) }

func (m marker) merged(o marker) marker {
	if cmp.Or(cmp.Compare(m.at, o.at), first(m.expires != 0, o.expires != 0), cmp.Compare(m.expires, o.expires)) >= 0 {
		return m
	}
	return o
}
