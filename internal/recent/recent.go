// Package recent keeps what was used last, within a number of entries and a weight, for
// what clients may make as large and as various as they like.
package recent

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// largest is the part of the weight that one entry may have: a few large ones should not
// push all others out.
const largest = 8

// Cache keeps values by keys. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	most int // of weight

	mu      sync.Mutex
	entries *lru.Cache[K, *entry[V]]
	weight  int
}

type entry[V any] struct {
	value  V
	weight int
}

// New returns a cache of so many entries, 1 or more, and of so much weight, in bytes.
func New[K comparable, V any](entries, weight int) *Cache[K, V] {
	c := &Cache[K, V]{most: weight}
	var err error
	if c.entries, err = lru.NewWithEvict(entries, func(_ K, e *entry[V]) { c.weight -= e.weight }); err != nil {
		panic(err) // it fails for a size below 1 only
	}
	return c
}

// Get returns the value of a key, which counts as used.
func (c *Cache[K, V]) Get(key K) (value V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, known := c.entries.Get(key)
	if known {
		value = e.value
	}
	return value, known
}

// Add keeps a value, unless it is too heavy, and returns it; where there is one of that
// key, that one.
func (c *Cache[K, V]) Add(key K, value V, weight int) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, known := c.entries.Get(key); known {
		return e.value
	}
	if weight <= c.most/largest {
		c.entries.Add(key, &entry[V]{value, weight})
		for c.weight += weight; c.weight > c.most; {
			c.entries.RemoveOldest()
		}
	}
	return value
}

// Len returns how many entries are kept.
func (c *Cache[K, V]) Len() int { return c.entries.Len() }

// Weight returns what they weigh together.
func (c *Cache[K, V]) Weight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.weight
}
