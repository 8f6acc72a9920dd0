package recent_test

import (
	"testing"

	"broadsheet/internal/recent"
)

type cache = recent.Cache[string, int]

func keeps(t *testing.T, c *cache, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if _, kept := c.Get(key); !kept {
			t.Errorf("%s is not kept", key)
		}
	}
	if c.Len() != len(keys) {
		t.Errorf("%d are kept, want %v", c.Len(), keys)
	}
}

func TestWhatWasUsedLastIsKept(t *testing.T) {
	t.Parallel()
	c := recent.New[string, int](2, 800)
	for i, key := range []string{"a", "b"} {
		c.Add(key, i, 10)
	}
	c.Get("a")
	c.Add("c", 2, 10)
	keeps(t, c, "a", "c")
	if was := c.Add("a", 7, 10); was != 0 {
		t.Errorf("a second value of a is %d, want the first", was)
	}
	if c.Weight() != 20 {
		t.Errorf("they weigh %d", c.Weight())
	}
}

func TestWeightIsBounded(t *testing.T) {
	t.Parallel()
	c := recent.New[string, int](100, 800)
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		c.Add(key, 0, 100)
	}
	c.Add("too heavy", 0, 101)
	keeps(t, c, "b", "c", "d", "e", "f", "g", "h", "i")
	if c.Weight() != 800 {
		t.Errorf("they weigh %d", c.Weight())
	}
}
